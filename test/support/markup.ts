/**
 * Reads markup with a strict tokeniser of its own: every `<` begins a tag, every `&` a reference, and tags are
 * balanced.
 * @returns the names of the elements with their attributes, in their order, and the text between them
 * @throws Error at the first place that is not well formed
 */
export function readMarkup(markup: string, voidElements: readonly string[] = []) {
  const elements: { readonly name: string; readonly attributes: ReadonlyMap<string, string> }[] = [];
  const texts: string[] = [];
  const open: string[] = [];
  const token =
    /<!doctype html>|<\/([a-zA-Z][\w-]*)>|<([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>|([^<&]+|&(?:amp|lt|gt|quot|#39);)/gy;
  while (token.lastIndex < markup.length) {
    const at = token.lastIndex;
    const match = token.exec(markup);
    if (match === null) throw new Error(`not well formed at ${at}: ${markup.slice(at, at + 60)}`);
    const [, closed, name, list = '', isEmpty, text] = match;
    if (text !== undefined) texts.push(text);
    if (closed !== undefined && open.pop() !== closed) throw new Error(`</${closed}> closes another element at ${at}`);
    if (name === undefined) continue;
    const attributes = [...list.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(
      ([, key = '', value = '']) => [key, value] as const,
    );
    elements.push({ name, attributes: new Map(attributes) });
    if (isEmpty !== '/' && !voidElements.includes(name)) open.push(name);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(', ')}`);
  return { elements, texts };
}

/**
 * Texts that would become markup, end an attribute, a style or a comment, or run as a script, if they were not escaped.
 */
export const MARKUP_INJECTIONS: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '</style><script>alert(1)</script>',
  '</title></svg><svg onload=alert(1)>',
  '<!-- x --> ]]> <![CDATA[ x',
  '&lt;b&gt; &#60;b&#62; &nbsp;',
  '<foreignObject><iframe src="javascript:alert(1)">',
  '| a | b | `rm -rf /` [x](javascript:alert(1))',
];
