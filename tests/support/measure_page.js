// Put at the end of a copy of a page, which may stand in a frame: looks for what overlaps, leaves its place or is empty,
// and writes what it finds into <pre id="faults"> of the window, one fault a line. Pictures are measured beside the
// page, at their own size, and taken away again, so that a screenshot shows the page as it was.
'use strict';

const faults = [];
let measured = 0;

// The text of a fold that is closed has a place, but nobody sees it.
const hidden = (element) => {
  const fold = element.closest('details:not([open])');
  return fold !== null && element.closest('summary')?.parentElement !== fold;
};
const short = (text) => '"' + text.trim().replace(/\s+/g, ' ').slice(0, 40) + '"';
const common = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left),
                                  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;

function overlaps(where, texts) {
  for (let i = 0; i < texts.length; ++i)
    for (let j = i + 1; j < texts.length; ++j)
      if (texts[i].of !== texts[j].of && common(texts[i].box, texts[j].box) > 1)
        faults.push(`${where}: ${short(texts[i].text)} and ${short(texts[j].text)} overlap`);
}

// The ratio of WCAG 2 between two colours as the browser computes them.
function contrast(one, other) {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function readable(where, text, colour, ground) {
  if (contrast(colour, ground) < 4.5) faults.push(`${where}: ${short(text)} is ${colour} on ${ground}, too faint to read`);
}

// Lines of text on the page, but for those that are put out of sight for people who listen.
function page_texts() {
  const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || ['SCRIPT', 'STYLE'].includes(node.parentElement.tagName) || hidden(node.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.right > 0 && box.width > 0) texts.push({of: node, text: node.data, box});
  }
  return texts;
}

function measure_page() {
  const page = document.documentElement, ground = getComputedStyle(document.body).backgroundColor;
  if (page.scrollWidth > page.clientWidth) faults.push(`page: ${page.scrollWidth} wide in a window of ${page.clientWidth}`);
  for (const element of document.querySelectorAll('body *')) {
    if (['SCRIPT', 'STYLE'].includes(element.tagName)) continue;
    const box = element.getBoundingClientRect(), scrolls = element.parentElement.closest('.scroll');
    if (!scrolls && box.left >= 0 && box.right > page.clientWidth + 1)
      faults.push(`page: <${element.localName}> ${short(element.textContent)} leaves the page`);
    if (!element.textContent.trim() && !element.querySelector('img') && element.localName !== 'img')
      faults.push(`page: <${element.localName}> is empty`);
  }
  const texts = page_texts();
  measured += texts.length;
  overlaps('page', texts);
  for (const {of, text, box} of texts) {
    if (box.right > page.clientWidth + 1 && !of.parentElement.closest('.scroll'))
      faults.push(`page: ${short(text)} leaves the page`);
    readable('page', text, getComputedStyle(of.parentElement).color, ground);
  }
}

const drawn = 'path, circle, rect:not(.ground), line:not(.grid):not(.axis)';

function measure_picture(name, svg) {
  const frame = svg.getBoundingClientRect(), ground = getComputedStyle(svg.querySelector('.ground')).fill;
  const texts = [...svg.querySelectorAll('text')].map((of) => ({of, text: of.textContent, box: of.getBoundingClientRect()}));
  measured += texts.length;
  overlaps(name, texts);
  for (const {of, text, box} of texts) {
    if (!inside(box, frame)) faults.push(`${name}: ${short(text)} leaves the picture`);
    if (!text.trim()) faults.push(`${name}: a text is empty`);
    readable(name, text, getComputedStyle(of).fill, ground);
    for (const dot of svg.querySelectorAll('circle'))
      if (common(box, dot.getBoundingClientRect()) > 1) faults.push(`${name}: ${short(text)} lies on a dot`);
  }
  const marks = [...svg.querySelectorAll(drawn)];
  for (const mark of marks) {
    const box = mark.getBoundingClientRect();
    if (!inside(box, frame)) faults.push(`${name}: a <${mark.localName}> leaves the picture`);
    for (const {nodeName, nodeValue} of mark.attributes)
      if (/^(d|x|y|x1|y1|x2|y2|cx|cy|r|width|height)$/.test(nodeName) && /nan|inf/i.test(nodeValue))
        faults.push(`${name}: ${nodeName} of a <${mark.localName}> is no number`);
  }
  if (!marks.some((mark) => mark.getBoundingClientRect().width + mark.getBoundingClientRect().height > 0))
    faults.push(`${name}: the picture is empty`);
}

function measure_pictures() {
  const images = [...document.querySelectorAll('img')];
  for (const image of images) {
    const name = image.closest('section')?.querySelector('h2')?.id || 'picture';
    if (!image.complete || image.naturalWidth === 0) {
      faults.push(`${name}: the picture cannot be shown`);
      continue;
    }
    // By itself: its style sheet is for it alone.
    const place = document.createElement('div');
    place.style.cssText = 'position:absolute;left:0;top:0;width:2000px';
    document.body.append(place);
    const bytes = Uint8Array.from(atob(image.src.split(',')[1]), (c) => c.charCodeAt(0));
    const shadow = place.attachShadow({mode: 'open'});
    shadow.innerHTML = new TextDecoder().decode(bytes);
    measure_picture(name, shadow.querySelector('svg'));
    place.remove();
  }
  return images.length;
}

window.addEventListener('load', () => {
  measure_page();
  const pictures = measure_pictures();
  const list = document.createElement('pre');
  list.id = 'faults';
  list.hidden = true;
  list.dataset.width = document.documentElement.clientWidth;
  list.dataset.dark = matchMedia('(prefers-color-scheme: dark)').matches ? 1 : 0;
  list.dataset.pictures = pictures;
  list.dataset.texts = measured;
  list.textContent = faults.join('\n');
  window.top.document.body.append(list);
});
