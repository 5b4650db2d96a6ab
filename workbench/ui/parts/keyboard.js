window.wbKeys ||= (() => {
  const pause = time => new Promise(done => setTimeout(done, time));
  const waiting = [], answered = [];
  let drawn = 0, asked = -1, since = 0, isWorking = false;
  const isBusy = () => asked === drawn && Date.now() - since < 20000;
  const control = name => document.querySelector(
    `.st-key-${name} button:not(:disabled), .st-key-${name} input, .st-key-${name} summary`);
  const work = async () => {
    if (isWorking) return;
    isWorking = true;
    while (waiting.length) {
      while (isBusy()) await pause(15);
      await pause(40);
      if (waiting.length) control(waiting.shift())?.click();
    }
    isWorking = false;
  };
  document.addEventListener('click', event => {
    if (!answered.some(selector => event.target.closest?.(selector))) return;
    asked = drawn;
    since = Date.now();
  }, true);
  return {
    control, isBusy,
    expect: selector => answered.includes(selector) || answered.push(selector),
    press: name => { waiting.push(name); work() },
    forget: () => { waiting.length = 0; asked = -1 },
    draw: () => { drawn += 1 },
    isOther: event => event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat,
  };
})();
