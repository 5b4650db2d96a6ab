(() => {
  const at = 'wb-return', here = location.pathname + location.search;
  if (!(location.pathname.endsWith('/') && sessionStorage.getItem(at))) sessionStorage.setItem(at, here);
})()
