"""A small memory for the tests."""

from workbench.models.translation.translation_memory import TranslationMemory, Unit

UNITS = (
    Unit("1", (("en", "Marconi sent radio signals in 1895."), ("es", "Marconi envió señales de radio en 1895."))),
    Unit("2", (("en", "Marconi sent radio signals in 1895."), ("fi", "Marconi lähetti radiosignaaleja vuonna 1895."))),
    Unit("3", (("en", "Tea grows in Assam."), ("es", "El té crece en Assam."), ("ja", "茶はアッサムで育つ。"))),
    Unit("4", (("en", "Tea grows in Japan."), ("es", "El té crece en Japón."), ("ja", "茶は日本で育つ。"))),
    Unit(
        "5",
        (("en", "Popov showed a receiver."), ("ru", "Попов показал приёмник."), ("es", "Popov mostró un receptor.")),
    ),
    Unit("6", (("en", "Popov was born in a village."), ("ru", "Попов родился в посёлке."))),
)


def memory() -> TranslationMemory:
    return TranslationMemory(UNITS)
