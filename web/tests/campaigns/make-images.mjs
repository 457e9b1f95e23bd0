// Writes what scans.toml needs into the current folder: scans.csv, items.csv, the folder images, and a picture beside it
// that must never be served.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import * as zlib from "node:zlib";

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(checksum(body), 4 + body.length);
  return frame;
}

// zlib.crc32 is new in Node 20.15.
function checksum(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; ++k) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

function picture(width, height, grey) {
  const rows = Buffer.alloc(height * (width + 1)); // each begins with its filter: none
  for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) rows[y * (width + 1) + 1 + x] = grey(x, y);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits, greyscale
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", zlib.deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

mkdirSync("images");
const count = 24;
let pool = "scan,age,size\n";
let items = "id,image\n";
for (let k = 1; k <= count; ++k) {
  const striped = k % 2 === 0;
  writeFileSync(`images/s${k}.png`, picture(240, 160, (x) => (striped && x % 40 < 20 ? 60 : 200)));
  pool += `s${k},${((k * 7) % count) / count},${((k * 11) % count) / count}\n`;
  const image = { 3: "../secret.png", 6: "link.png" }[k] ?? `s${k}.png`;
  items += `s${k},${image}\n`;
}
writeFileSync("secret.png", picture(333, 222, () => 0));
symlinkSync("../secret.png", "images/link.png");
writeFileSync("scans.csv", pool);
writeFileSync("items.csv", items);
