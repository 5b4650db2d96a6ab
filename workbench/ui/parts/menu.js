if (!window.wbMenu) {
  window.wbMenu = true;
  document.addEventListener('click', event => {
    if (innerWidth >= 768 || !event.target.closest?.('[data-testid="stSidebarNavLink"]')) return;
    setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click(), 150);
  }, true);
}
