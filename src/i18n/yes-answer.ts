/** Whether a typed answer is `y` or `yes`, in any case. Any other answer, also an empty one, is not. */
export function isYesAnswer(text: string): boolean {
  return /^y(?:es)?$/i.test(text.trim());
}
