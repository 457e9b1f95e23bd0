// A picture that is fetched like all else: with the token, which an address in <img src> could not carry.
import { useEffect, useState } from "preact/hooks";
import { headers } from "../client";

function dataAddress(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error("The picture cannot be read"));
    reader.readAsDataURL(blob);
  });
}

/** Fetches a picture ahead of its use. */
export async function fetchImage(path: string): Promise<string> {
  const response = await fetch(path, { headers: headers(), credentials: "omit" });
  if (!response.ok) throw new Error(`The picture cannot be loaded (${response.status})`);
  const type = response.headers.get("Content-Type") ?? "";
  if (!type.startsWith("image/")) throw new Error("The server sent something that is no picture");
  return dataAddress(await response.blob());
}

interface Props {
  path: string;
  alt: string;
  version?: number; // fetched again when it changes
  ready?: string | undefined; // already fetched
}

export function ServedImage(props: Props) {
  const [source, setSource] = useState(props.ready ?? "");
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let current = true;
    if (props.ready) {
      setSource(props.ready);
      return;
    }
    fetchImage(props.path)
      .then((address) => current && (setSource(address), setProblem("")))
      .catch((error: unknown) => current && setProblem(error instanceof Error ? error.message : String(error)));
    return () => {
      current = false;
    };
  }, [props.path, props.version, props.ready]);
  if (problem && !source) return <p class="problem">{problem}</p>;
  return source ? <img src={source} alt={props.alt} /> : <p class="soft placeholder">Loading the picture …</p>;
}
