/** The logins in the text of a pull secret, by registry, each with its fields; null for what is no pull secret. */
export function loginsIn(text: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> | null {
  try {
    const { auths } = fieldsOf(JSON.parse(text));
    return new Map(Object.entries(fieldsOf(auths)).map(([registry, login]) => [registry, fieldsOf(login)]));
  } catch {
    return null;
  }
}

/** @throws TypeError for what has no fields */
function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no fields');
  return { ...value };
}
