/** Whether a typed answer is a yes: `y` or `yes`, in any case. Anything else, silence too, is none. */
export function saysYes(text: string): boolean {
  return /^y(?:es)?$/i.test(text.trim());
}
