"""Abbreviations as data: how they read, and whether a sentence may end at their period."""

from __future__ import annotations

from engine.text.tables import pairs, word_set

# Before a name; a sentence never ends here. Written with or without the period.
TITLES = pairs(
    """Mr=Mister; Mrs=Missus; Ms=Miz; Dr=Doctor; Prof=Professor; Gen=General; Gov=Governor
    Sen=Senator; Rep=Representative; Capt=Captain; Lt=Lieutenant; Col=Colonel; Sgt=Sergeant
    Cmdr=Commander; Rev=Reverend; Hon=Honorable; Pres=President; Cpl=Corporal; Maj=Major
    Adm=Admiral; Fr=Father; Msgr=Monsignor; Supt=Superintendent; Messrs=Messieurs"""
)

# Before a noun, a number or more words; a sentence never ends here. Only with the period.
LEADING = pairs(
    """e.g=for example; i.e=that is; vs=versus; cf=compare; approx=approximately; viz=namely
    Fig=Figure; fig=figure; Figs=Figures; figs=figures; Eq=Equation; eq=equation; Vol=Volume
    vol=volume; Mt=Mount; Ft=Fort; eds=editors; Ch=Chapter; ch=chapter; c.f=compare
    ca=circa; Ref=Reference; al=al; incl=including; excl=excluding; Nos=Numbers; nos=numbers"""
)

# May end a sentence; it does when a word that starts sentences follows. Only with the period.
TRAILING = pairs(
    """Jr=Junior; Sr=Senior; St=Street; Ave=Avenue; Blvd=Boulevard; Rd=Road; Ln=Lane; Hwy=Highway
    Pkwy=Parkway; Ste=Suite; Apt=Apartment; Bldg=Building; Ltd=Limited; Inc=Incorporated
    Corp=Corporation; Co=Company; Bros=Brothers; Dept=Department; Univ=University
    Assn=Association; Govt=Government; govt=government; dept=department; etc=et cetera
    est=established; Est=Established; Jan=January; Feb=February; Apr=April; Jun=June; Jul=July
    Aug=August; Sep=September; Sept=September; Oct=October; Nov=November; Dec=December
    Tue=Tuesday; Tues=Tuesday; Thu=Thursday; Thurs=Thursday; Fri=Friday; Atty=Attorney
    temp=temperature; avg=average; Sq=Square; tel=telephone; Tel=Telephone; misc=miscellaneous
    ext=extension; Ext=Extension; Calif=California; Mass=Massachusetts; Penn=Pennsylvania"""
)

# Also words of their own: short for something only where a number or a capital follows.
WORDLIKE = pairs(
    """Mar=March; Mon=Monday; Wed=Wednesday; Sat=Saturday; Sun=Sunday; Ed=Editor; Art=Article
    Sec=Section; sec=second; min=minute"""
)

# "Number" before a digit, else the answer "no".
NUMBERS = pairs("No=Number; no=number; p=page; pp=pages; P=page; Pp=pages")

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

# Capitalised words that begin sentences far oftener than they follow an abbreviation within one.
STARTERS = word_set(
    """A After All Although An And Another Any Are As At Because Before Both But By Can Could Did
    Do Does Each Even Every First For From Had Has Have He Her Here His How However I If In Is It
    Its Just Last Let Many Maybe Most My Never Next No Nobody Not Nothing Now Of On Once One Only
    Or Other Our Perhaps Please She Should Since So Some Someone Soon Still Such Suddenly Thank
    That The Their Then There These They This Those Though Thus To Today Tomorrow Under Until Was
    We Well Were What When Where Which While Who Why Will With Without Would Yes Yesterday Yet You
    Your It's He's She's I'm I've I'll That's There's We're They're You're Don't Let's
    What's"""
)
