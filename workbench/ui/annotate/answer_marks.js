export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector('.wb-marks');
  const say = (tag, css, words) => {
    const part = document.createElement(tag);
    part.className = css;
    if (words !== undefined) part.textContent = words;
    return part;
  };
  // Where each code point begins in the text's UTF-16 units, and the way back.
  const units = [0];
  for (const sign of data.text) units.push(units[units.length - 1] + sign.length);
  const points = new Map(units.map((unit, point) => [unit, point]));
  const point = (unit, up) => {
    while (!points.has(unit)) unit += up ? 1 : -1;
    return points.get(unit);
  };

  let text = root.querySelector('.wb-marks-text');
  if (!text) {
    text = say('div', 'wb-text wb-long wb-marks-text');
    text.tabIndex = 0;
    text.setAttribute('role', 'textbox');
    text.setAttribute('aria-readonly', 'true');
    text.setAttribute('aria-multiline', 'true');
    root.append(text, say('button', 'wb-button wb-marks-mark', 'Mark the selection'), say('ul', 'wb-marks-list'),
      say('div', 'wb-muted wb-marks-hint'));
    root.querySelector('.wb-marks-mark').type = 'button';
    root.querySelector('.wb-marks-hint').setAttribute('role', 'status');
  }
  const button = root.querySelector('.wb-marks-mark');
  text.lang = data.lang;
  text.dir = 'auto';
  text.setAttribute('aria-label', data.name);
  root.querySelector('.wb-marks-hint').textContent = data.hint;

  // A selection outlives a drawing that changes nothing.
  const drawn = JSON.stringify([data.text, data.marks, data.golds]);
  if (root.drawn !== drawn) {
    root.drawn = drawn;
    const all = [...data.marks, ...data.golds];
    const borders = new Set([0, units.length - 1]);
    for (const mark of all) borders.add(mark.start).add(mark.end);
    const ordered = [...borders].sort((one, other) => one - other);
    text.replaceChildren();
    for (let at = 0; at + 1 < ordered.length; at += 1) {
      const [from, to] = [ordered[at], ordered[at + 1]];
      const over = list => list.filter(mark => mark.start <= from && to <= mark.end);
      const gold = over(data.golds).length > 0, marks = over(data.marks);
      const piece = say(gold ? 'mark' : 'span', marks.length ? 'wb-mark' : '', data.text.slice(units[from], units[to]));
      if (marks.length) {
        const top = marks[marks.length - 1];
        piece.style.setProperty('--hue', top.hue);
        piece.title = marks.map(mark => mark.name).join(', ');
        const first = marks.filter(mark => mark.start === from).map(mark => mark.number);
        if (first.length) piece.dataset.numbers = first.join(' ');
      }
      text.append(piece);
    }
    root.querySelector('.wb-marks-list').replaceChildren(...data.marks.map(mark => {
      const line = say('li', 'wb-row'), words = say('bdi', 'wb-mark', mark.text);
      const remove = say('button', 'wb-button', '✕');
      words.style.setProperty('--hue', mark.hue);
      words.dataset.numbers = mark.number;
      words.lang = data.lang;
      remove.type = 'button';
      remove.title = 'Remove this mark';
      remove.setAttribute('aria-label', `Remove the mark “${mark.text}” of ${mark.name}`);
      remove.onclick = () => setTriggerValue('removed', { start: mark.start, end: mark.end, label: mark.label });
      line.append(words, say('span', 'wb-muted', mark.name), remove);
      return line;
    }));
  }

  const before = (node, at) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    range.setEnd(node, at);
    return range.toString().length;
  };
  const selection = () => {
    const live = getSelection();
    if (!live.rangeCount || live.isCollapsed || !text.contains(live.anchorNode)) return null;
    const range = live.getRangeAt(0).cloneRange();
    if (!text.contains(range.startContainer)) range.setStart(text, 0);
    if (!text.contains(range.endContainer)) range.setEnd(text, text.childNodes.length);
    const from = before(range.startContainer, range.startOffset), to = before(range.endContainer, range.endOffset);
    const start = point(from, false), end = point(to, true);
    return start < end ? { start, end, text: data.text.slice(units[start], units[end]) } : null;
  };
  const mark = () => {
    const part = selection();
    if (!part || !data.label) return;
    setTriggerValue('marked', { ...part, label: data.label });
    getSelection().removeAllRanges();
  };
  const place = unit => {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node && unit > node.length) {
      unit -= node.length;
      node = walker.nextNode();
    }
    return node ? [node, unit] : [text, text.childNodes.length];
  };
  const words = () => {
    if (!root.words || root.words.of !== data.text) {
      const all = window.Intl?.Segmenter
        ? [...new Intl.Segmenter(data.lang || undefined, { granularity: 'word' }).segment(data.text)]
          .filter(part => part.isWordLike).map(part => [part.index, part.index + part.segment.length])
        : [...data.text.matchAll(/[^\s]+/g)].map(part => [part.index, part.index + part[0].length]);
      root.words = { of: data.text, all, fixed: -1, moving: -1 };
    }
    return root.words;
  };
  const step = (ahead, extend) => {
    const list = words(), last = list.all.length - 1;
    if (last < 0) return;
    const next = list.moving < 0 ? (ahead ? 0 : last) : Math.min(last, Math.max(0, list.moving + (ahead ? 1 : -1)));
    if (!extend || list.fixed < 0) list.fixed = next;
    list.moving = next;
    const low = Math.min(list.fixed, list.moving), high = Math.max(list.fixed, list.moving);
    getSelection().setBaseAndExtent(...place(list.all[low][0]), ...place(list.all[high][1]));
  };
  text.onkeydown = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const right = getComputedStyle(text).direction !== 'rtl';
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      step((event.key === 'ArrowRight') === right, event.shiftKey);
    } else if (event.key === 'Enter') {
      mark();
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      const part = selection();
      const hit = part && data.marks.find(mark => mark.start < part.end && part.start < mark.end);
      if (hit) setTriggerValue('removed', { start: hit.start, end: hit.end, label: hit.label });
    } else if (event.key === 'Escape') {
      getSelection().removeAllRanges();
      text.blur();
    } else return;
    event.preventDefault();
  };
  text.onblur = () => {
    if (root.words) root.words.fixed = root.words.moving = -1;
  };
  // A finger marks with the button, as a selection is still being changed when it is lifted.
  const lifted = event => {
    if (event.pointerType === 'mouse') setTimeout(mark, 0);
  };
  let inside = false;
  const pressed = () => { inside = true; };
  const released = event => {
    if (inside) lifted(event);
    inside = false;
  };
  const selected = () => { button.disabled = !data.label || !selection(); };
  button.onpointerdown = event => event.preventDefault();
  button.onclick = mark;
  // The browser calls this again for each new label, without ending the call before.
  root.stop?.();
  selected();
  text.addEventListener('pointerdown', pressed);
  document.addEventListener('pointerup', released);
  document.addEventListener('selectionchange', selected);
  root.stop = () => {
    text.removeEventListener('pointerdown', pressed);
    document.removeEventListener('pointerup', released);
    document.removeEventListener('selectionchange', selected);
  };
  return root.stop;
}
