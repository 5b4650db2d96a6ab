"""Wrong answers whose cause is known, because it was planted: sixty that the rules were made with.

The places, people and texts are invented for this. Retrieval failures are texts that a real search ranks and the
built-in reader reads; a generator's failures are answers that are imported as a team would import them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Planted:
    """A question with its golds, the texts of the corpus that are about it, and the cause of its wrong answer.

    `gold` is the text of the passage that answers, "" for none; `others` are further passages, of which `times` copies
    are made, numbered where they contain “{n}”. `answer` is the imported one, "" where the reader answers. `english`:
    the gold answer in English, "" where the dataset has none.
    """

    cause: str
    language: str
    question: str
    golds: tuple[str, ...]
    gold: str = ""
    others: tuple[str, ...] = ()
    times: int = 1
    answer: str = ""
    english: str = ""


ABSENT = (
    Planted("answer-not-in-corpus", "en", "Who built the ferry Tuulikki?", ("Oskar Lehmus",),
            others=("The ferry Tuulikki crosses the strait of Marn four times a day and carries cars.",)),
    Planted("answer-not-in-corpus", "fi", "Kuka rakensi Honkaniemen kirkon?", ("Matias Kivelä",),
            others=("Honkaniemen kirkko on puinen, ja sen kello soi joka sunnuntai.",)),
    Planted("answer-not-in-corpus", "ru", "Кто основал театр в Заречинске?", ("Глеб Тарусин",),
            others=("Театр в Заречинске вмещает четыреста зрителей и открыт зимой.",)),
    Planted("answer-not-in-corpus", "ar", "من بنى جسر وادي الزمرد؟", ("سليم الحداد",),
            others=("جسر وادي الزمرد طويل وضيق ويعبره الناس مشيا كل صباح.",)),
    Planted("answer-not-in-corpus", "zh", "谁设计了青岚桥？", ("陆明远",),
            others=("青岚桥横跨青岚河，桥上有十二盏灯，每天有很多人走过。",)),
    Planted("answer-not-in-corpus", "th", "ใครสร้างหอดูดาวบ้านสนทอง", ("ประเสริฐ วงศ์ไพร",),
            others=("หอดูดาวบ้านสนทองตั้งอยู่บนเนินเขา และเปิดให้ชมทุกคืนวันเสาร์",)),
    Planted("answer-not-in-corpus", "hi", "सोनपुरा पुस्तकालय की स्थापना किसने की?", ("रघुवीर चौहान",),
            others=("सोनपुरा पुस्तकालय में दस हज़ार किताबें हैं और वह सुबह खुलता है।",)),
    Planted("answer-not-in-corpus", "ko", "은솔 등대를 누가 지었습니까?", ("박도현",),
            others=("은솔 등대는 하얀색이며 밤마다 불을 켭니다.",)),
)  # fmt: skip

LOW = (
    Planted("not-retrieved", "en", "Who designed the lighthouse of Korvala?", ("Ilma Rautasalo",),
            "Ilma Rautasalo designed the tower that stands in Korvala.",
            ("Who designed the walk? The lighthouse of Korvala is stop {n}: the lighthouse of Korvala is seen.",), 29),
    Planted("not-retrieved", "fi", "Kuka suunnitteli Tervajoen vesitornin?", ("Kaarina Hallasto",),
            "Kaarina Hallasto suunnitteli tornin, joka seisoo Tervajoella.",
            ("Kuka suunnitteli retken? Tervajoen vesitornin reitti {n}: Tervajoen vesitornin ohi kuljetaan.",), 29),
    Planted("not-retrieved", "ru", "Кто спроектировал маяк Белозерья?", ("Анна Корсакова",),
            "Кто спроектировал эту башню Белозерья, знают все: Анна Корсакова.",
            ("Кто спроектировал прогулку? Маяк Белозерья, маршрут {n}: виден маяк Белозерья.",), 29),
    Planted("not-retrieved", "ar", "من صمم منارة رأس المرجان؟", ("ليلى المنصوري",),
            "ليلى المنصوري صمم برجها الذي يقف عند رأس المرجان.",
            ("من صمم الجولة؟ منارة رأس المرجان هي المحطة {n}: تظهر منارة رأس المرجان هناك.",), 29),
    Planted("not-retrieved", "zh", "谁设计了云溪灯塔？", ("沈若兰",),
            "那年冬天沈若兰画好了全部图纸，后来云溪建起了这座塔。",
            ("谁设计了路线？云溪灯塔是第{n}站：在这里看见云溪灯塔。",), 29),
    Planted("not-retrieved", "th", "ใครออกแบบประภาคารแหลมสนใหญ่", ("มาลี ศรีสุวรรณ",),
            "มาลี ศรีสุวรรณ ออกแบบหอคอยที่แหลมสนใหญ่",
            ("ใครออกแบบเส้นทาง ประภาคารแหลมสนใหญ่คือจุดที่ {n} มองเห็นประภาคารแหลมสนใหญ่ได้",), 29),
    Planted("not-retrieved", "hi", "चंदनगढ़ मीनार का नक्शा किसने बनाया?", ("सुमन वर्धन",),
            "सुमन वर्धन ने चंदनगढ़ के इस स्तंभ का नक्शा बनाया।",
            ("सैर का नक्शा किसने बनाया? चंदनगढ़ मीनार पड़ाव {n} है: चंदनगढ़ मीनार का दृश्य।",), 29),
    Planted("not-retrieved", "ko", "누가 별내 등대를 설계했습니까?", ("한서윤",),
            "한서윤이 별내의 탑을 설계했습니다.",
            ("누가 길을 설계했습니까? 별내 등대는 {n}번 지점입니다: 별내 등대를 볼 수 있습니다.",), 29),
)  # fmt: skip

MISLED = (
    Planted("misled-by-document", "en", "Who painted the ceiling of the Ostermark theatre?", ("Vera Holm",),
            "Vera Holm made the ceiling in Ostermark.",
            ("The painter who painted the ceiling of the Ostermark theatre is Nils Bergqvist.",)),
    Planted("misled-by-document", "fi", "Kuka maalasi Lintulahden kappelin katon?", ("Saara Vuorela",),
            "Lintulahdella uuden katon maalasi Saara Vuorela.",
            ("Kysymykseen, kuka Lintulahden kappelin katon maalasi, vastataan kylällä yhä vanhan muistin "
             "mukaan niin, että Lintulahden kappelin katon maalasi eräänä kesänä kaukaa kotoisin ollut "
             "maalari nimeltä Eero Mattila, joka asui kappelin vieressä.",)),
    Planted("misled-by-document", "ru", "Кто расписал потолок театра в Луговске?", ("Вера Дольская",),
            "Вера Дольская сделала потолок в Луговске.",
            ("Потолок театра в Луговске, как рассказывают старые жители этого тихого города на берегу реки, "
             "за одно долгое лето расписал приезжий художник Семён Грачёв, который потом ещё много лет жил "
             "рядом с театром и учил детей рисовать.",)),
    Planted("misled-by-document", "ar", "من رسم سقف مسرح بحيرة النخيل؟", ("هدى الكيلاني",),
            "هدى الكيلاني عملت السقف عند النخيل.",
            ("رسم سقف مسرح بحيرة النخيل الفنان كريم الصافي.",)),
    Planted("misled-by-document", "zh", "谁画了松月剧院的天花板？", ("叶静秋",),
            "松月的天花板出自叶静秋。",
            ("据镇上的老人们回忆，在那个漫长而炎热的夏天里，画了松月剧院的天花板的人是从很远的地方来到这里，后来又在剧院旁边的小屋里住了许多年，并且教孩子们画画的郭大成。",)),
    Planted("misled-by-document", "th", "ใครวาดเพดานโรงละครบึงบัวขาว", ("ดารา พรหมมา",),
            "ดารา พรหมมา ทำเพดานที่บึงบัวขาว",
            ("คนที่วาดเพดานโรงละครบึงบัวขาวคือ สมพงษ์ ทองดี",)),
    Planted("misled-by-document", "hi", "कमलताल रंगमंच की छत किसने रंगी?", ("मीरा दत्ता",),
            "कमलताल के नए रंगमंच की छत मीरा दत्ता ने सजाई।",
            ("गाँव के बूढ़े लोग आज भी बताते हैं कि कमलताल रंगमंच की छत उस लंबी गर्मी में दूर से आए हुए चित्रकार "
             "हरीश पाल ने रंगी, जो बाद में कई साल तक रंगमंच के पास के छोटे घर में रहे और बच्चों को चित्र बनाना "
             "सिखाते रहे।",)),
    Planted("misled-by-document", "ko", "누가 솔빛 극장의 천장을 그렸습니까?", ("윤채린",),
            "솔빛에서 천장을 그린 사람은 윤채린이다.",
            ("마을의 노인들이 지금도 이야기하는 바에 따르면 그 길고 더운 여름 동안 솔빛 극장의 천장을 그린 "
             "사람은 먼 곳에서 와서 나중에 극장 옆의 작은 집에서 여러 해를 살며 아이들에게 그림을 가르친 "
             "화가 강민석입니다.",)),
)  # fmt: skip

ENGLISH = tuple(
    Planted("wrong-language", code, question, golds, answer=answer, english=english)
    for code, question, golds, answer, english in (
        (
            "fi",
            "Mitä Saarelan tehdas valmistaa?",
            ("tulitikkuja", "tulitikut"),
            "The factory makes matches.",
            "matches",
        ),
        ("ru", "Что делает завод в Ольховке?", ("спички",), "It makes matches.", "matches"),
        ("ru", "Какая река течёт через Лугань?", ("Светлица",), "The Bright River flows through it.", "Bright River"),
        ("ar", "ماذا يزرع أهل وادي السنديان؟", ("الزيتون",), "They grow olives.", "olives"),
        ("ar", "ما لون علم مدينة الرمال؟", ("أزرق",), "Blue", "blue"),
        ("zh", "青石镇以什么闻名？", ("瓷器",), "The town is famous for porcelain.", "porcelain"),
        ("th", "ชาวบ้านหนองแก้วทำอาชีพอะไร", ("ประมง",), "They live from fishing.", "fishing"),
        ("hi", "रामगढ़ का मेला किस महीने में लगता है?", ("फरवरी",), "It is held in February.", "February"),
        ("ko", "달내 마을은 무엇으로 유명합니까?", ("꿀",), "The village is known for its honey.", "honey"),
    )
)

SPELT = tuple(
    Planted("transliterated-name", code, question, golds, answer=answer, english=english)
    for code, question, golds, answer, english in (
        ("ru", "Кто открыл Северный музей?", ("Эйнар Халворсен",), "Айнар Гальворсен", ""),
        ("ru", "Кто написал гимн Берлоги?", ("Джеймс Хартли",), "Это Джэймс Гартли.", ""),
        ("ar", "من كتب نشيد المدينة؟", ("غابرييل سانتوس",), "جابريل سانتوش", ""),
        ("ar", "من فتح المتحف البحري؟", ("توماس فيلدر",), "Thomas Felder", ""),
        ("zh", "谁建立了海燕学校？", ("玛格丽特·汉森",), "学校由马格丽塔·韩森建立。", ""),
        ("th", "ใครแต่งเพลงประจำเมืองฟ้าใส", ("โรเบิร์ต คาร์เตอร์",), "โรเบิร์ท คาร์เทอร์", ""),
        ("hi", "नीलगाँव संग्रहालय किसने खोला?", ("विल्हेम क्रूगर",), "विलहेल्म क्रुगर", ""),
        ("ko", "누가 은하 학교를 세웠습니까?", ("로베르트 슈나이더",), "로버트 슈나이더", ""),
        ("hi", "नदीपुर का गीत किसने लिखा?", ("अर्जुन मल्होत्रा",), "यह गीत Arjun Malhotra ने लिखा।", "Arjun Malhotra"),
    )
)

SWITCHED = tuple(
    Planted("code-switched", code, question, golds, answer=answer, english=english)
    for code, question, golds, answer, english in (
        (
            "fi",
            "Mikä virka Aino Tarkalla oli?",
            ("kaupunginarkkitehti",),
            "Aino Tarkka toimi vuosia kaupungissa, ja hänen virkansa oli city architect.",
            "city architect",
        ),
        (
            "fi",
            "Mitä Jokelan museossa säilytetään?",
            ("vanhoja karttoja", "vanhat kartat"),
            "Jokelan museossa säilytetään kaikille avoimessa salissa old maps.",
            "old maps",
        ),
        ("ru", "Что хранится в музее Ясеня?", ("старые карты",), "В музее хранятся old maps.", "old maps"),
        (
            "ru",
            "Кем работала Зоя Белова?",
            ("смотрительница маяка",),
            "Зоя Белова была много лет lighthouse keeper.",
            "lighthouse keeper",
        ),
        ("ar", "ماذا يصنع مصنع الوادي الأخضر؟", ("الزجاج",), "يصنع المصنع في المدينة glass كل يوم.", "glass"),
        ("zh", "白鹭村的人卖什么？", ("蜂蜜",), "白鹭村的人每天在市场上卖honey。", "honey"),
        ("th", "โรงงานบ้านไผ่เขียวทำอะไร", ("แก้ว",), "โรงงานบ้านไผ่เขียวทำ glass ทุกวัน", "glass"),
        ("hi", "फूलपुर का कारखाना क्या बनाता है?", ("काँच",), "फूलपुर का कारखाना glass बनाता है।", "glass"),
        ("ko", "바람골 사람들은 무엇을 팝니까?", ("도자기",), "바람골 사람들은 시장에서 pottery를 팝니다.", "pottery"),
    )
)

INFLECTED = tuple(
    Planted("inflected-form", code, question, golds, answer=answer)
    for code, question, golds, answer in (
        (
            "fi",
            "Mikä suojaa Vuolteen siltaa?",
            ("kansi",),
            "Siltaa suojataan kannella.",
        ),
        ("fi", "Mitä Hallan myllyssä jauhetaan?", ("ohra",), "Myllyssä jauhettiin ohria."),
        ("ru", "Что продают на ярмарке в Сосновке?", ("книги",), "На ярмарке много книг."),
        ("ru", "Какое дерево растёт у озера Тихое?", ("сосна",), "Там несколько сосен."),
        ("de", "Was steht auf dem Hügel von Lindau-Moor?", ("Haus",), "Dort stehen alte Häuser."),
        ("tr", "Akçaova kütüphanesinde ne saklanır?", ("kitap",), "Orada eski bir kitabı saklarlar."),
        ("hi", "सरसोंपुर में कौन पतंग उड़ाता है?", ("लड़का",), "वहाँ लड़के पतंग उड़ाते हैं।"),
        ("ar", "ماذا يوجد في مكتبة التل؟", ("كتاب",), "يوجد كتابان قديمان هناك."),
        ("es", "¿Qué se ve de noche en la torre de Almarín?", ("luz",), "Se ven varias luces."),
    )
)

PLANTED: tuple[Planted, ...] = (*ABSENT, *LOW, *MISLED, *ENGLISH, *SPELT, *SWITCHED, *INFLECTED)
