export default function ({ data, setTriggerValue }) {
  const open = event => {
    const button = event.target.closest?.('.wb-opens');
    if (button) setTriggerValue('mark', button.value);
  };
  // The other views need the chart library, which takes a second: it comes once pointer or keyboard reach their names.
  const prepare = event => {
    if (data.charts && event.target.closest?.('.st-key-dash_question, .st-key-dash_view')) {
      import(new URL(data.charts, document.baseURI).href).catch(() => {});
    }
  };
  const listeners = { click: open, pointerover: prepare, focusin: prepare };
  for (const [kind, listener] of Object.entries(listeners)) document.addEventListener(kind, listener);
  return () => {
    for (const [kind, listener] of Object.entries(listeners)) document.removeEventListener(kind, listener);
  };
}
