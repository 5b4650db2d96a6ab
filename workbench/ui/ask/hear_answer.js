if (!window.wbHears) {
  const live = document.createElement('div');
  live.className = 'wb-unseen';
  live.id = 'wb-live';
  live.setAttribute('aria-live', 'polite');
  document.body.append(live);
  const say = () => {
    const answers = document.querySelectorAll('.stMain .wb-said, .stMain .wb-none');
    live.textContent = [...answers].map(one => one.innerText).join(' / ');
  };
  let last = null;
  window.wbHears = new MutationObserver(() => {
    const answer = document.getElementById('answer');
    if (answer && answer !== last) setTimeout(say, 250);
    last = answer;
  });
  window.wbHears.observe(document.body, {childList: true, subtree: true});
}
