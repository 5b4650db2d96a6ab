export default function ({ data, setTriggerValue }) {
  window.wbRejoin?.();
  const link = window.wbLabelKeys ||= { away: false };
  const isConnected = () => link.isConnected?.() ?? true;
  if (isConnected() && link.run !== data.run) link.away = false;
  link.run = data.run;
  let last = 0;
  const timer = setInterval(() => {
    if (!link.away || !isConnected()) last = Date.now() - 4000;
    else if (Date.now() - last > 5000) setTriggerValue('back', last = Date.now());
  }, 100);
  window.wbRejoin = () => clearInterval(timer);
  return window.wbRejoin;
}
