// A small part of Markdown as elements: headings, paragraphs, lists, emphasis, code, quotations and links to the web. Text is
// only ever text: markup in it is shown as it was written.
import type { ComponentChildren, VNode } from "preact";

const inline = /(\*\*|__)(.+?)\1|([*_])([^*_]+?)\3|`([^`]+)`|\[([^\]]+)\]\(([^()\s]+)\)/g;

/** Addresses of the web only: no scripts, no files. */
function isSafe(address: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(address);
}

export function inlineOf(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of text.matchAll(inline)) {
    const [whole, , strong, , emphasis, code, name, address] = match;
    parts.push(text.slice(at, match.index));
    if (strong !== undefined) parts.push(<strong>{inlineOf(strong)}</strong>);
    else if (emphasis !== undefined) parts.push(<em>{inlineOf(emphasis)}</em>);
    else if (code !== undefined) parts.push(<code>{code}</code>);
    else if (name !== undefined && address !== undefined && isSafe(address))
      parts.push(
        <a href={address} target="_blank" rel="noreferrer noopener">
          {name}
        </a>,
      );
    else parts.push(whole);
    at = (match.index ?? 0) + whole.length;
  }
  parts.push(text.slice(at));
  return parts.filter((part) => part !== "");
}

type Block = "heading" | "item" | "number" | "quote" | "code" | "text";

function kindOf(line: string): Block {
  if (/^#{1,6}\s/.test(line)) return "heading";
  if (/^\s*[-*+]\s/.test(line)) return "item";
  if (/^\s*\d+[.)]\s/.test(line)) return "number";
  if (/^>\s?/.test(line)) return "quote";
  return "text";
}

function elementOf(kind: Block, lines: string[]): VNode {
  const without = (mark: RegExp) => lines.map((line) => line.replace(mark, ""));
  if (kind === "heading") {
    const [, marks = "#", text = ""] = /^(#+)\s+(.*?)\s*#*$/.exec(lines[0] ?? "") ?? [];
    return marks.length < 2 ? <h2>{inlineOf(text)}</h2> : <h3>{inlineOf(text)}</h3>;
  }
  if (kind === "item") return <ul>{without(/^\s*[-*+]\s+/).map((text, k) => <li key={k}>{inlineOf(text)}</li>)}</ul>;
  if (kind === "number") return <ol>{without(/^\s*\d+[.)]\s+/).map((text, k) => <li key={k}>{inlineOf(text)}</li>)}</ol>;
  if (kind === "quote") return <blockquote>{inlineOf(without(/^>\s?/).join(" "))}</blockquote>;
  if (kind === "code") return <pre>{lines.join("\n")}</pre>;
  return <p>{inlineOf(lines.join(" "))}</p>;
}

export function blocksOf(text: string): { kind: Block; lines: string[] }[] {
  const blocks: { kind: Block; lines: string[] }[] = [];
  let fenced = false;
  let open = false; // whether the next line may belong to the last block
  for (const line of text.replace(/\r\n?/g, "\n").split("\n")) {
    const last = blocks.at(-1);
    if (/^```/.test(line)) {
      fenced = !fenced;
      if (fenced) blocks.push({ kind: "code", lines: [] });
      open = false;
    } else if (fenced) last?.lines.push(line);
    else if (line.trim() === "") open = false;
    else {
      const kind = kindOf(line);
      const isList = last?.kind === "item" || last?.kind === "number";
      if (open && last && kind === "text" && isList) last.lines[last.lines.length - 1] += ` ${line.trim()}`;
      else if (open && last?.kind === kind && kind !== "heading") last.lines.push(line);
      else blocks.push({ kind, lines: [line] });
      open = true;
    }
  }
  return blocks;
}

export function Markdown(props: { text: string }) {
  return (
    <div class="markdown">
      {blocksOf(props.text).map((block, k) => (
        <div key={k}>{elementOf(block.kind, block.lines)}</div>
      ))}
    </div>
  );
}
