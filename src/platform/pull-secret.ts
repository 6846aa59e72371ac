/**
 * Parses a pull secret: the fields of each login, by registry.
 * @returns null for a text that is not a pull secret
 */
export function parsePullSecret(text: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> | null {
  try {
    const { auths } = toRecord(JSON.parse(text));
    return new Map(Object.entries(toRecord(auths)).map(([registry, login]) => [registry, toRecord(login)]));
  } catch {
    return null;
  }
}

/** @throws TypeError for a value that is not an object */
function toRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return { ...value };
}
