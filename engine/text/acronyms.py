"""Words in capitals and names with odd spellings, as data."""

from __future__ import annotations

from engine.text.tables import pairs, word_set

# Read as given here, whatever stands around them. Capitals alone are names of letters.
READ_AS = pairs(
    """WAV=wave; JSON=jason; JPEG=jay peg; JPG=jay peg; GUI=gooey; IEEE=I triple E; GitHub=git hub
    Github=git hub; GITHUB=git hub; github=git hub; GitLab=git lab; gitlab=git lab; PhD=P H D
    PhDs=P H Ds; Ph.D=P H D; iOS=I O S; macOS=mac O S; iPadOS=I pad O S; C#=C sharp; F#=F sharp
    C++=C plus plus; g++=G plus plus; Q&A=Q and A; R&D=R and D; R&B=R and B; B&B=B and B
    M&M=M and M; AT&T=A T and T; P&L=P and L; Wi-Fi=Wi Fi; WiFi=Wi Fi; wifi=Wi Fi; SaaS=sass
    PaaS=pass; NAACP=N double A C P; AAA=triple A; MySQL=my S Q L; NoSQL=no S Q L
    PostgreSQL=postgres Q L; SQLite=S Q L ite; LaTeX=lay tech; LinkedIn=linked in
    YouTube=you tube; OAuth=O auth; iPhone=I phone; iPad=I pad; eBay=E bay;
    CD-ROM=C D rom; README=read me; w/=with; w/o=without
    b/c=because; c/o=care of; n/a=N A; N/A=N A; a/c=A C; TV=T V; TVs=T Vs;
    etc=et cetera; ok=okay; Ok=okay
    aka=A K A; btw=by the way; imo=in my opinion; vs=versus; nginx=engine X; kubectl=kube control
    pH=P H; mRNA=M R N A
    eSIM=E sim; DVDs=D V Ds; CDs=C Ds; PCs=P Cs; IDs=I Ds; YouTuber=you tuber; ChatGPT=chat G P T
    OpenAI=open A I; JavaScript=java script; TypeScript=type script; PyPI=pie P I; PyTorch=pie torch
    NumPy=num pie; SciPy=sigh pie; WebRTC=web R T C; WebSocket=web socket; LGBTQ=L G B T Q
    WWI=World War one; WWII=World War two; WW1=World War one; WW2=World War two
    A-=A minus; B-=B minus; C-=C minus; D-=D minus; e-mail=email; E-mail=Email; co-op=co op"""
)

# Capitals said as a word.
SAID = word_set(
    """NASA NATO UNESCO UNICEF OPEC NASDAQ NASCAR FIFA FEMA OSHA SWAT SCUBA LASER RADAR SONAR AIDS
    COVID SARS MERS RAM ROM SIM PIN BIOS LAN WAN NAND CRUD REST SOAP YAML TOML ASCII ANSI AJAX
    CUDA SATA NAFTA ASEAN DAESH ISIS POTUS FLOTUS SCOTUS FOMO YOLO MOMA IKEA LEGO VISA NORAD
    UNIX GNU JAX PIP PEP RAG WASP DARPA NOAA PETA DOS DOOM EBITDA HIPAA GIF MIDI LIDAR CAPTCHA
    WIFI RAID"""
)

# Spelled even where the rest of the sentence is in capitals.
SPELLED = word_set(
    """USA UK US EU UN FBI CIA IBM AWS HTML CSS PDF USB API URL SQL HTTP HTTPS CEO CTO CFO OK NYC LA
    DC TV DVD CD PC AI ML UI UX IT HR PR ID IQ GPS GPU CPU DNA RNA ATM VIP RSVP DIY FAQ ASAP LOL
    OMG BTW IMO TBD IP AM PM BC AD BCE CE MIT UCLA NBA NFL MLB NHL BBC CNN NBC ABC CBS HBO SUV
    LED LCD HDMI SSD HDD XML PHP SDK IDE FTP SSH VPN PNG SVG MBA MD PHD NGO GDP IRS"""
)

# Short common words: in capitals they are stressed, not spelled.
COMMON = word_set(
    """a an and any are art as ask at ate away baby back bad bag ball band bank bar base bath be bed
    been beer bell belt best big bill bird bit blue boat body bold bomb book born both bowl box boy
    but buy by cake call came camp can car card care case cat chat city club coat code cold come
    cook cool copy cost cry cup cut dad damn dark data day dead deal dear deep did die dig do does
    dog done door down draw drop dry due duck dust each earn ear east easy eat edge egg else end
    even ever evil eye face fact fail fair fall fan far farm fast fat fear feed feel feet fell felt
    few file fill film find fine fire fish fit five fix flat flow fly food foot for form four free
    from fuel full fun game gave get gift girl give glad go goes gold gone good got gray grow guy
    had hair half hall hand hang hard has hat hate have he head hear heat hell help her here hero
    hey hi high hill him his hit hold hole home hope hot hour how huge hurt ice idea if ill in into
    iron is it its jazz job join joke jump just keep key kick kid kill kind king knew know lack
    lady land last late law lay lead left less let lie life like line list live long look lord lose
    loss lost lot loud love low luck mad made mail main make man many may me mean meet men mind
    mine miss more most move much must my name near need net never new news next nice nine no none
    nor not note now odd of off oh oil old on once one only open or other our out over own page
    paid pain park part pass past path pay pick plan play plus pool poor post pull push put race
    rain ran rare rate read real red rest rich ride right ring rise risk road rock role roof room
    rule run sad safe said sale same sand save saw say sea see seem seen self sell send set sex she
    ship shop shot show shut sick side sign sing sit site six size skin slow snow so soft sold some
    song soon sorry sort soul spot star stay step stop such sun sure swim take talk tall task tax
    team tell ten test text than that the them then they thin this thus till time tiny to told
    tone too took top tour town tree trip true try turn two type ugly up upon us use user very view
    wait wake walk wall want war warm was wash way we weak wear week well went were west what when
    who whom why wide wife wild will win wind wine wish with wood word work worn yard yeah year yes
    yet you your zero zone info dot per pot tip env"""
)

# What stands after the last dot of an address or a file's name, where it isn't simply spelled.
ENDINGS = pairs(
    """com=com; org=org; net=net; edu=E D U; gov=gov; info=info; co=co; me=me; app=app; dev=dev
    page=page; blog=blog; shop=shop; site=site; online=online; cloud=cloud; biz=biz; mil=mil
    zip=zip; json=jason; yaml=yaml; toml=toml; doc=doc; docx=doc X; bat=bat; gif=gif; jpeg=jay peg
    jpg=jay peg; tar=tar; ini=ini; log=log; lock=lock; bin=bin; java=java; swift=swift; wav=wave
    io=I O; ai=A I; uk=U K; us=U S; de=D E; fr=F R; eu=E U; tv=T V; fm=F M; ly=L Y; gg=G G; ca=C A
    au=A U; jp=J P; cn=C N; in=I N; it=I T; es=E S; nl=N L; ch=C H; at=A T; be=B E; ru=R U; br=B R
    pdf=P D F; py=P Y; js=J S; ts=T S; txt=T X T; md=M D; csv=C S V; html=H T M L; css=C S S
    xml=X M L; png=P N G; svg=S V G; mp3=M P three; mp4=M P four; exe=E X E; dll=D L L; gz=G Z
    sh=S H; rs=R S; cpp=C P P; rb=R B; php=P H P; sql=S Q L; xls=X L S; xlsx=X L S X; ppt=P P T
    pptx=P P T X; iso=I S O; dmg=D M G; apk=A P K; whl=W H L; yml=Y M L; tsv=T S V; onnx=O N N X"""
)
