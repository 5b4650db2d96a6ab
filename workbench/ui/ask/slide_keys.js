(() => {
  if (window.wbSlideKeys) return;
  window.wbSlideKeys = true;
  const names = {ArrowRight: 'slide_next', ' ': 'slide_next', PageDown: 'slide_next', ArrowLeft: 'slide_back',
    PageUp: 'slide_back', n: 'slide_notes', N: 'slide_notes', d: 'slide_details', D: 'slide_details'};
  const fields = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="combobox"], '
    + '[role="dialog"]';
  const turns = '.st-key-slide_next, .st-key-slide_back';
  wbKeys.expect('.st-key-slide_next button, .st-key-slide_back button, .st-key-slide_notes input, '
    + '.st-key-slide_details input');
  const fill = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  };
  document.addEventListener('keydown', event => {
    const at = event.target, isFull = event.key === 'f' || event.key === 'F';
    if (wbKeys.isOther(event) || !document.querySelector('.st-key-slide_next') || at.closest?.(fields)) return;
    if (event.key === ' ' && at.closest?.('button, a, summary, input') && !at.closest(turns)) return;
    if (event.key === 'Escape') document.querySelector('.st-key-close_presentation a')?.click();
    if (!isFull && !names[event.key]) return;
    event.preventDefault();
    if (isFull) fill();
    else wbKeys.press(names[event.key]);
  }, true);
  document.addEventListener('keyup', event => {
    if (event.key === ' ' && event.target.closest?.(turns)) event.preventDefault();
  }, true);
  document.addEventListener('click', event => {
    if (event.target.closest?.('#full-screen')) fill();
  });
})()
