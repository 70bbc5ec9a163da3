"""Units of measure and currencies as data: singular, plural."""

from __future__ import annotations

from engine.text.tables import word_set

Names = tuple[str, str]


def _units(rows: str) -> dict[str, Names]:
    table: dict[str, Names] = {}
    for row in rows.strip().splitlines():
        signs, names = row.split("=")
        one, _, many = names.strip().partition("|")
        for sign in signs.split():
            table[sign] = (one, many or one + "s")
    return table


UNITS = _units(
    """
km = kilometer
cm = centimeter
mm = millimeter
µm μm = micrometer
nm = nanometer
kg = kilogram
mg = milligram
µg μg mcg = microgram
lb lbs = pound
oz = ounce
ft = foot|feet
mi = mile
yd = yard
ml mL = milliliter
cl = centiliter
kph km/h kmh = kilometer per hour|kilometers per hour
mph = mile per hour|miles per hour
m/s = meter per second|meters per second
m/s² = meter per second squared|meters per second squared
Hz = hertz|hertz
kHz = kilohertz|kilohertz
MHz = megahertz|megahertz
GHz = gigahertz|gigahertz
KB kB = kilobyte
MB = megabyte
GB = gigabyte
TB = terabyte
PB = petabyte
KiB = kibibyte
MiB = mebibyte
GiB = gibibyte
kbps kbit/s = kilobit per second|kilobits per second
Mbps Mbit/s = megabit per second|megabits per second
Gbps Gbit/s = gigabit per second|gigabits per second
MB/s = megabyte per second|megabytes per second
GB/s = gigabyte per second|gigabytes per second
hr hrs = hour
min mins = minute
sec secs = second
ms = millisecond
µs μs = microsecond
ns = nanosecond
kWh = kilowatt hour
kW = kilowatt
MW = megawatt
GW = gigawatt
mW = milliwatt
kV = kilovolt
mV = millivolt
mA = milliamp
mAh = milliamp hour
kJ = kilojoule
kcal = kilocalorie
dB = decibel
dpi = dot per inch|dots per inch
ppi = pixel per inch|pixels per inch
fps = frame per second|frames per second
rpm RPM = revolution per minute|revolutions per minute
bpm BPM = beat per minute|beats per minute
psi = pound per square inch|pounds per square inch
hPa = hectopascal
kPa = kilopascal
px = pixel
m² m2 = square meter
km² km2 = square kilometer
cm² cm2 = square centimeter
mm² mm2 = square millimeter
ft² ft2 sqft = square foot|square feet
mi² = square mile
m³ m3 = cubic meter
cm³ cm3 cc = cubic centimeter
ha = hectare
°C ℃ = degree Celsius|degrees Celsius
°F ℉ = degree Fahrenheit|degrees Fahrenheit
° = degree
% pct = percent|percent
‰ = per mille|per mille
m = meter
g = gram
L l = liter
s = second
h = hour
W = watt
V = volt
A = amp
N = newton
J = joule
Ω = ohm
"""
)
# Read only right after the number, since each is also a word or the name of something.
GLUED_ONLY = word_set("A N J s h L l")
# Short for a word only with a period.
DOTTED_UNITS: dict[str, Names] = {
    "in": ("inch", "inches"),
    "gal": ("gallon", "gallons"),
    "tbsp": ("tablespoon", "tablespoons"),
    "tsp": ("teaspoon", "teaspoons"),
}
DOTTABLE = word_set("ft oz lb lbs mi yd hr hrs min mins sec secs")

CURRENCIES: dict[str, tuple[Names, Names]] = {
    "$": (("dollar", "dollars"), ("cent", "cents")),
    "US$": (("U S dollar", "U S dollars"), ("cent", "cents")),
    "C$": (("Canadian dollar", "Canadian dollars"), ("cent", "cents")),
    "A$": (("Australian dollar", "Australian dollars"), ("cent", "cents")),
    "€": (("euro", "euros"), ("cent", "cents")),
    "£": (("pound", "pounds"), ("penny", "pence")),
    "¥": (("yen", "yen"), ("sen", "sen")),
    "₹": (("rupee", "rupees"), ("paisa", "paise")),
    "₩": (("won", "won"), ("jeon", "jeon")),
}
CODES: dict[str, Names] = {
    "USD": ("dollar", "dollars"),
    "EUR": ("euro", "euros"),
    "GBP": ("pound", "pounds"),
    "JPY": ("yen", "yen"),
    "CHF": ("Swiss franc", "Swiss francs"),
    "CAD": ("Canadian dollar", "Canadian dollars"),
    "AUD": ("Australian dollar", "Australian dollars"),
    "INR": ("rupee", "rupees"),
    "CNY": ("yuan", "yuan"),
}
LARGE = {
    "k": "thousand",
    "K": "thousand",
    "m": "million",
    "M": "million",
    "mn": "million",
    "b": "billion",
    "B": "billion",
    "bn": "billion",
    "T": "trillion",
    "tn": "trillion",
}
LARGE_WORDS = word_set("hundred thousand million billion trillion")
# Words before which four digits are a count and no year.
COUNTED = word_set(
    """meters metres feet miles kilometers yards inches dollars euros pounds people men women
    children times words years days hours minutes seconds points copies tons tonnes grams calories
    percent volts watts steps pages items users lines units seats euros bytes pieces votes"""
)
