/** Whether an OpenShift version ("4.18", "4.18.11") is `minimum` ("4.6") or later; the z part does not count. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [major, minor] = parts(version);
  const [minMajor, minMinor] = parts(minimum);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}

function parts(version: string): [number, number] {
  const [major = '0', minor = '0'] = version.split('.');
  return [Number(major), Number(minor)];
}
