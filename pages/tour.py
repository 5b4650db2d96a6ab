"""Tour: recorded answers, played step by step and offline."""

import streamlit as st

from workbench.ui.parts import access, frame, safe_html
from workbench.ui.tours import tour_list, tour_player

frame.enter()
with access.guarded():
    tours = tour_list.library()
    if name := st.query_params.get("tour", ""):
        tour = tours.open(name)
        if tour.stops:
            tour_player.draw(name, tour)
            st.stop()
        safe_html.message("This tour has no stops: add an answer to it on Ask or Inspect.")

with access.guarded():
    if "list" in st.query_params:  # the browser's address still names the slide that was closed
        st.query_params.clear()
    st.title("Tour")
    st.markdown(
        "Recorded answers with their documents, prompts and steps, shown one by one in large type. A tour is a file: "
        "it plays without corpus, model or network."
    )
    infos = tour_list.draw(tours)
    tour_list.record_sample(tours, [info.name for info in infos])
    tour_list.import_file(tours)
    if infos:
        tour_list.draw_editing(tours, infos)
