if (!window.wbCopies) {
  window.wbCopies = true;
  const say = (button, words) => {
    const label = button.textContent;
    button.textContent = words;
    setTimeout(() => { button.textContent = label }, 2500);
  };
  const select = text => {
    const range = document.createRange(), selection = window.getSelection();
    range.selectNodeContents(text);
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand('copy') ? 'Copied' : 'Press Ctrl+C to copy';
  };
  document.addEventListener('click', event => {
    const button = event.target.closest('.wb-copies');
    if (!button) return;
    const text = button.closest('.wb-copy').querySelector('pre, .wb-address');
    if (text.matches('.wb-address')) text.textContent = location.href;
    if (!navigator.clipboard) say(button, select(text));
    else navigator.clipboard.writeText(text.textContent)
      .then(() => say(button, 'Copied'), () => say(button, select(text)));
  });
}
