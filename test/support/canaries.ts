const SHIFTS = [0, 1, 2];
const encodeShifted = (secret: string, shift: number) =>
  Buffer.from(`${'.'.repeat(shift)}${secret}...`).toString('base64');

/** Texts that hold a secret: as it is, quoted twice, percent-encoded, and inside a base64 text. */
export function createSecretTexts(secret: string): string[] {
  const quoted = JSON.stringify(JSON.stringify({ secret }));
  return [secret, encodeURIComponent(secret), quoted, ...SHIFTS.map((shift) => encodeShifted(secret, shift))];
}

/** Strings that a text contains if it holds the secret in any of these forms. */
export function listTraces(secret: string): string[] {
  // In base64, only the characters that depend on nothing but the secret.
  const base64Parts = SHIFTS.map((shift) =>
    encodeShifted(secret, shift).slice(4, 4 * Math.floor((shift + secret.length) / 3)),
  );
  return [secret, encodeURIComponent(secret), ...base64Parts];
}
