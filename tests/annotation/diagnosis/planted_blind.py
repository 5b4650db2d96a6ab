"""Wrong answers whose cause is known, because it was planted: 42 by somebody who had not read the rules' code.

They were verified by the search, the reader and the metric alone, then the rules were run once. Neither these texts nor
the rules were changed afterwards for each other's sake: what is missed here stays missed.
"""

from __future__ import annotations

from tests.annotation.diagnosis.planted import Planted

ABSENT_BLIND = (
    Planted(
        "answer-not-in-corpus",
        "en",
        "Who conducted the first concert of the Harrowby Brass Society?",
        ("Edmund Larkspur",),
        others=(
            "The Harrowby Brass Society gave its first concert in the corn exchange in 1878.",
            "Tickets for the first concert of the Harrowby Brass Society cost sixpence at the door.",
        ),
    ),
    Planted(
        "answer-not-in-corpus",
        "fi",
        "Kuka perusti Lehtosaaren lasitehtaan?",
        ("Verneri Huttula",),
        others=(
            "Lehtosaaren lasitehdas aloitti toimintansa vuonna 1859 ja teki aluksi vihreitä pulloja.",
            "Lehtosaaren lasitehtaan myi eteenpäin Aatu Kinnarinen, joka muutti sen jälkeen Turkuun.",
        ),
    ),
    Planted(
        "answer-not-in-corpus",
        "ru",
        "В каком году открылась библиотека в посёлке Верхнекаменский?",
        ("1926",),
        others=(
            "Библиотека в посёлке Верхнекаменский занимает бывший дом купца и хранит восемь тысяч книг.",
            "Школа в посёлке Верхнекаменский открылась в 1931 году, когда через реку навели мост.",
        ),
    ),
    Planted(
        "answer-not-in-corpus",
        "ja",
        "霧ヶ谷灯台を設計したのは誰ですか？",
        ("戸川清蔵",),
        others=(
            "霧ヶ谷灯台は1893年に初めて点灯し、設計図は火事で失われた。",
            "霧ヶ谷灯台の灯台守は三代続けて同じ家の人だった。",
        ),
    ),
    Planted(
        "answer-not-in-corpus",
        "es",
        "¿Qué río cruza el puente de Valdecorza?",
        ("Argamón",),
        others=(
            "El puente de Valdecorza tiene cinco arcos y se cruza a pie en tres minutos.",
            "Una riada se llevó el puente de Valdecorza y los vecinos lo levantaron de nuevo.",
        ),
    ),
    Planted(
        "answer-not-in-corpus",
        "hi",
        "सोनगढ़ी का कुआँ किसने खुदवाया था?",
        ("रानी चंद्रावती",),
        others=(
            "सोनगढ़ी का कुआँ अकाल के साल खुदवाया गया था और उसका पानी गर्मियों में भी नहीं सूखता।",
            "सोनगढ़ी का कुआँ मंदिर के पीछे है और उस पर हर साल मेला लगता है।",
        ),
    ),
)

LOW_BLIND = (
    Planted(
        "not-retrieved",
        "en",
        "Which botanist discovered the blue saxifrage on Mount Orvane?",
        ("Philippa Dunstone",),
        "Philippa Dunstone, a botanist from Leeds, discovered an unnamed flower above Orvane in 1887.",
        (
            "The blue saxifrage that a botanist discovered on Mount Orvane was painted for plate {n}.",
            "Postcard number {n} shows the blue saxifrage discovered on Mount Orvane and a botanist's tent.",
        ),
        15,
    ),
    Planted(
        "not-retrieved",
        "de",
        "Welcher Glockengießer goss die große Glocke der Abtei Wiesenrode?",
        ("Lorenz Habermehl",),
        "Im Herbst 1694 kam der Glockengießer Lorenz Habermehl mit zwei Gesellen in die Abtei Wiesenrode und hob neben "
        "der Kirche die Grube für den Guss aus.",
        (
            "Die große Glocke der Abtei Wiesenrode, die ein Glockengießer goss, läutet nach Absatz {n} zur Vesper.",
            "Die Besuchergruppe {n} maß die große Glocke der Abtei Wiesenrode, die ein Glockengießer goss.",
        ),
        15,
    ),
    Planted(
        "not-retrieved",
        "ar",
        "من صمم النافورة القديمة في ساحة الزيتونة بمدينة مرجانة؟",
        ("جابر الفاخوري",),
        "رسم جابر الفاخوري سنة 1842 حوض الماء الذي يتوسط ساحة الزيتونة في مرجانة.",
        (
            "تقع النافورة القديمة في ساحة الزيتونة بمدينة مرجانة قرب الدكان رقم {n}.",
            "صمم التجار الملصق رقم {n} عن النافورة القديمة في ساحة الزيتونة بمدينة مرجانة.",
        ),
        15,
    ),
    Planted(
        "not-retrieved",
        "zh",
        "谁编写了《云溪县茶经注》？",
        ("陆怀谷",),
        "教书先生陆怀谷晚年回到云溪县，用七年时间把那部讲茶的古书逐句作了解释。",
        (
            "《云溪县茶经注》第{n}卷讲述茶园的产量，目录由后人编写。",
            "第{n}次展览陈列了《云溪县茶经注》的抄本。",
        ),
        15,
    ),
    Planted(
        "not-retrieved",
        "th",
        "ใครเป็นผู้สร้างสะพานไม้เก่าแห่งบ้านหนองเพชร",
        ("ขุนเรืองวารี",),
        "ขุนเรืองวารีคือผู้สร้างทางข้ามลำน้ำที่หนองเพชรด้วยซุงหลายร้อยท่อนเมื่อปี 2431",
        (
            "ผู้สร้างแพซ่อมสะพานไม้เก่าแห่งบ้านหนองเพชรครั้งที่ {n} ในฤดูแล้ง",
            "ภาพถ่ายหมายเลข {n} แสดงสะพานไม้เก่าแห่งบ้านหนองเพชรและผู้สร้างแพ",
        ),
        15,
    ),
    Planted(
        "not-retrieved",
        "tr",
        "Gökçedere köyündeki taş değirmeni kim yaptırdı?",
        ("Hacı Selman Ağa",),
        "Gökçedere köyündeki tahıl öğütülen işliği 1764 yılında Hacı Selman Ağa açtırdı ve gelirini medreseye bıraktı.",
        (
            "Gökçedere köyündeki taş değirmeni bu yıl {n}. kafile gezdi.",
            "Gökçedere köyündeki taş değirmeni anlatan {n}. defter okulda saklanıyor.",
        ),
        15,
    ),
)

MISLED_BLIND = (
    Planted(
        "misled-by-document",
        "fr",
        "Qui a dessiné le second phare de Kerguidoc ?",
        ("Yvonne Talbourdet",),
        "À Kerguidoc, un autre phare s'élève depuis 1902 sur la pointe ; Yvonne Talbourdet l'a dessiné.",
        (
            "Le premier phare de Kerguidoc, Anselme Le Breuzec l'a dessiné, bien avant que le second phare de "
            "Kerguidoc ne soit voulu par les pêcheurs.",
        ),
    ),
    Planted(
        "misled-by-document",
        "fi",
        "Kuka suunnitteli Kallionniemen uuden koulun?",
        ("Irja Saastamo",),
        "Kallionniemen koulu siirtyi vuonna 1958 avariin tiloihin, jotka suunnitteli Irja Saastamo.",
        (
            "Kallionniemen vanhan koulun suunnitteli Oskar Pellinen, ja Kallionniemen uuden koulun paikasta "
            "kiisteltiin sitten vielä monta vuotta.",
        ),
    ),
    Planted(
        "misled-by-document",
        "ru",
        "Кто написал музыку к новому гимну города Белозорска?",
        ("Раиса Мельгунова",),
        "В 1997 году у города Белозорска появилась другая торжественная песня, музыку написала Раиса Мельгунова.",
        (
            "Музыку к старому гимну города Белозорска написал Степан Лучников, а к новому гимну города Белозорска "
            "потом долго искали автора.",
        ),
    ),
    Planted(
        "misled-by-document",
        "ko",
        "달빛마을 새 도서관을 설계한 사람은 누구인가?",
        ("서가영",),
        "2004년 달빛마을에 문을 연 두 번째 도서관을 설계한 건축가는 서가영이다.",
        (
            "달빛마을 옛 도서관을 설계한 사람은 문태석이고, 달빛마을 새 도서관을 지을 땅은 "
            "그가 마을을 떠나 바다 건너 섬으로 옮겨 간 뒤에도 "
            "오랫동안 정해지지 않아 주민들이 해마다 모여 다투었다.",
        ),
    ),
    Planted(
        "misled-by-document",
        "es",
        "¿Quién pintó el segundo retablo de la ermita de Montelirio?",
        ("Jacinta Olmedilla",),
        "Tras el incendio de 1741, Montelirio encargó otro retablo, y lo pintó Jacinta Olmedilla.",
        (
            "El primer retablo de la ermita de Montelirio lo pintó Baltasar Quirós, y el segundo retablo de la ermita "
            "de Montelirio se encargó después.",
        ),
    ),
    Planted(
        "misled-by-document",
        "hi",
        "नीलकुंड की दूसरी नहर किसने बनवाई?",
        ("दीवान मोहनदास",),
        "1889 में नीलकुंड के लिए एक और नहर दीवान मोहनदास ने बनवाई, जिससे पूरब के सूखे खेतों तक भी पानी पहुँचने लगा।",
        (
            "नीलकुंड की पहली नहर राजा वीरसेन ने बनवाई, जब नीलकुंड की दूसरी नहर की बात अभी "
            "किसी ने सोची भी नहीं थी और लोग घड़ों में पानी भर कर लाते थे।",
        ),
    ),
)

ENGLISH_BLIND = (
    Planted(
        "wrong-language",
        "fi",
        "Mistä aineesta Suvannon museon katto on tehty?",
        ("kupari", "kuparista"),
        answer="The roof of the museum is made of copper.",
        english="copper",
    ),
    Planted(
        "wrong-language",
        "ja",
        "月見橋は何の上に架かっていますか？",
        ("鉄道", "線路"),
        answer="It crosses a railway.",
        english="railway",
    ),
    Planted(
        "wrong-language",
        "ar",
        "ما لون علم فريق السهم؟",
        ("أخضر",),
        answer="The team's flag is green.",
        english="green",
    ),
    Planted(
        "wrong-language",
        "th",
        "สัตว์ประจำหมู่บ้านดอนแก้วคืออะไร",
        ("นกยูง",),
        answer="The animal of the village is the peacock.",
        english="peacock",
    ),
    Planted(
        "wrong-language",
        "tr",
        "Yelkenli kasabasının en eski mesleği nedir?",
        ("marangozluk",),
        answer="carpentry",
        english="carpentry",
    ),
    Planted(
        "wrong-language",
        "ru",
        "В какой стране родилась скрипачка Алиса Норвинг?",
        ("Германия",),
        answer="She was born in Germany and moved away as a child.",
        english="Germany",
    ),
)

SPELT_BLIND = (
    Planted(
        "transliterated-name",
        "ru",
        "Кто построил обсерваторию в Линдхольме?",
        ("Уильям Хартли",),
        answer="Обсерваторию построил Вильям Гартли.",
    ),
    Planted(
        "transliterated-name",
        "zh",
        "银杏剧院是谁设计的？",
        ("塞巴斯蒂安·莫雷尔",),
        answer="银杏剧院是由瑟巴斯蒂恩·莫瑞尔设计的。",
    ),
    Planted(
        "transliterated-name",
        "ko",
        "버들다리를 세운 기술자는 누구인가?",
        ("안톤 라옙스키",),
        answer="버들다리를 세운 기술자는 안톤 라예프스키이다.",
    ),
    Planted(
        "transliterated-name",
        "ar",
        "من بنى محطة القطار في مدينة النخيل؟",
        ("غراهام دوغلاس",),
        answer="بنى المحطة المهندس جراهام دوجلاس.",
    ),
    Planted(
        "transliterated-name",
        "en",
        "Who designed the water tower of Old Pellham?",
        ("Mikhail Chernyshov",),
        answer="The water tower was designed by Michail Tschernyschow.",
    ),
    Planted(
        "transliterated-name",
        "ja",
        "白樺ホールを設計した建築家は誰ですか？",
        ("ヴィクトル・ヴァレンティン",),
        answer="白樺ホールを設計した建築家はビクトル・バレンティンです。",
    ),
)

MIXED_BLIND = (
    Planted(
        "code-switched",
        "fi",
        "Mitä Tuulenpesän työpaja valmistaa?",
        ("sateenvarjoja", "sateenvarjot"),
        answer="Tuulenpesän työpaja valmistaa kesäisin umbrellas.",
        english="umbrellas",
    ),
    Planted(
        "code-switched",
        "ru",
        "Что выращивают в долине Сухой Лог?",
        ("подсолнечник",),
        answer="В этой долине выращивают в основном sunflowers.",
        english="sunflowers",
    ),
    Planted(
        "code-switched",
        "ko",
        "은하시장의 대표 상품은 무엇인가?",
        ("도자기",),
        answer="은하시장의 대표 상품은 pottery입니다.",
        english="pottery",
    ),
    Planted(
        "code-switched",
        "es",
        "¿Qué instrumento tocaba el alcalde de Robledillo?",
        ("gaita",),
        answer="El alcalde de Robledillo tocaba los bagpipes en las fiestas del pueblo.",
        english="bagpipes",
    ),
    Planted(
        "code-switched",
        "hi",
        "मोरपुर के कारीगर क्या बनाते हैं?",
        ("खिलौने",),
        answer="मोरपुर के कारीगर लकड़ी के toys बनाते हैं।",
        english="toys",
    ),
    Planted(
        "code-switched",
        "ar",
        "ماذا يصنع أهل قرية وادي النسيم؟",
        ("السلال",),
        answer="يصنع أهل القرية baskets من سعف النخيل.",
        english="baskets",
    ),
)

INFLECTED_BLIND = (
    Planted(
        "inflected-form",
        "fi",
        "Minkä järven rannalla partiolaiset yöpyivät?",
        ("Vaskivesi",),
        answer="Partiolaiset yöpyivät Vaskiveden rannalla.",
    ),
    Planted(
        "inflected-form",
        "tr",
        "Köy hangi derenin kıyısında kuruldu?",
        ("Kızılbulak",),
        answer="Köy, Kızılbulağın kıyısında kuruldu.",
    ),
    Planted(
        "inflected-form",
        "ru",
        "Какой зверь изображён на гербе села Лесное?",
        ("заяц",),
        answer="На гербе села изобразили белого зайца.",
    ),
    Planted(
        "inflected-form",
        "de",
        "Welche Bäume stehen vor dem Rathaus von Eschbruch?",
        ("Apfelbäume",),
        answer="Vor dem Rathaus steht ein Apfelbaum neben dem anderen.",
    ),
    Planted(
        "inflected-form",
        "fr",
        "Quel animal voit-on sur le blason de Montfauvel ?",
        ("cheval",),
        answer="On y voit deux chevaux qui se cabrent.",
    ),
    Planted(
        "inflected-form",
        "hi",
        "रतनपुर के मेले में कौन सा जानवर सबसे ज़्यादा बिकता है?",
        ("घोड़ा",),
        answer="रतनपुर के मेले में सबसे ज़्यादा घोड़े बिकते हैं।",
    ),
)

BLIND = (*ABSENT_BLIND, *LOW_BLIND, *MISLED_BLIND, *ENGLISH_BLIND, *SPELT_BLIND, *MIXED_BLIND, *INFLECTED_BLIND)
