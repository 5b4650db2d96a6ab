(() => {
  if (window.wbVoteKeys) return;
  window.wbVoteKeys = true;
  const names = {a: 'vote_a', ArrowLeft: 'vote_a', b: 'vote_b', ArrowRight: 'vote_b', t: 'vote_tie',
    ArrowDown: 'vote_tie', x: 'vote_both_bad', '0': 'vote_both_bad', u: 'vote_undo'};
  const fields = 'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], '
    + '[role="dialog"], [role="radio"]';
  wbKeys.expect('.st-key-vote_buttons button, .st-key-vote_undo button');
  document.addEventListener('keydown', event => {
    if (wbKeys.isOther(event) || event.target.closest?.(fields)) return;
    const name = names[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!name || !wbKeys.control(name)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!wbKeys.isBusy()) wbKeys.press(name);
  }, true);
})()
