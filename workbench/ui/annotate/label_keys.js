(() => {
  const labels = '1234567890ABDEFGHIJKLNOPQSTVWXYZ', link = window.wbLabelKeys ||= { away: false };
  if (link.isListening) return;
  link.isListening = true;
  const names = {ArrowLeft: 'inspect_back', ArrowRight: 'inspect_forward', Enter: 'inspect_complete',
    U: 'inspect_undo', '?': 'inspect_guideline'};
  const keyOf = event => {
    if (event.key === '?' || event.key.length > 1) return event.key;
    const place = /^(?:Digit|Numpad|Key)([0-9A-Z])$/.exec(event.code)?.[1] || '';
    return (/^[a-z]$/i.test(event.key) ? event.key : place || event.key).toUpperCase();
  };
  wbKeys.expect('.st-key-inspect_labels button, .st-key-inspect_complete button, .st-key-inspect_forward button, '
    + '.st-key-inspect_undo button, .st-key-inspect_back button');
  const nameOf = key => {
    const at = key.length === 1 ? labels.indexOf(key) : -1;
    const name = at < 0 ? names[key] : 'inspect_label_' + (at + 1);
    return document.querySelector('.st-key-inspect_undo') && name && wbKeys.control(name) ? name : '';
  };
  const stops = ['.wb-marks', '.st-key-inspect_labels', '[class*="st-key-inspect_comment_"]',
    '.st-key-inspect_complete'];
  const moved = key => {
    if (!document.querySelector('.st-key-inspect_complete')) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const groups = stops.map(name => document.querySelector(name)).filter(Boolean);
    const now = groups.findIndex(group => group.contains(document.activeElement));
    let to = null;
    const last = groups.length - 1;
    if (step) to = groups[now < 0 && step < 0 ? last : Math.max(0, Math.min(last, now + step))];
    else if (key === 'M') to = document.querySelector('.wb-marks');
    to?.querySelector('.wb-marks-text, button, textarea')?.focus();
    return Boolean(to);
  };
  link.isConnected = () => !document.querySelector('.st-key-inspect_back button:disabled');
  const line = document.body.appendChild(document.createElement('div'));
  line.className = 'wb-away';
  line.setAttribute('role', 'alert');
  setInterval(() => {
    if (!link.isConnected()) link.away = true;
    if (link.away) wbKeys.forget();
    const isShown = link.away && document.querySelector('.st-key-inspect_undo');
    const words = isShown ? 'Connection lost: nothing is being saved. Continue once this line is gone.' : '';
    if (line.textContent !== words) line.textContent = words;
  }, 50);
  const fields = 'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], '
    + '[role="dialog"], [role="slider"]';
  document.addEventListener('keydown', event => {
    const at = event.target, key = keyOf(event), label = at.closest?.('[class*="st-key-inspect_label_"]');
    if (wbKeys.isOther(event)) return;
    // A guideline that closes gives its button the focus, and Enter is to complete.
    if (/^(Escape|[?])$/.test(key)) setTimeout(() => wbKeys.control('inspect_guideline')?.blur(), 400);
    if (at.closest?.('[data-testid="stPopoverBody"]')) {
      if (key === '?') wbKeys.press('inspect_guideline');
      return;
    }
    if (at.closest?.(fields)) {
      if (event.key === 'Escape' && at.closest('[class*="st-key-inspect_comment_"]')) at.blur();
      return;
    }
    if (at.closest?.('.wb-marks-text') && !/^(.|ArrowUp|ArrowDown)$/.test(key)) return;
    if (event.key === 'Enter' && at.closest?.('button, a, summary, [role="radio"]') && !label) return;
    if (!event.shiftKey && moved(key)) return event.preventDefault();
    const name = nameOf(key);
    if (!name) return;
    event.preventDefault();
    if (link.away || !link.isConnected()) return;
    wbKeys.press(name);
  }, true);
})()
