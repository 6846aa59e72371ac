import { PASSED_ON } from '../ports/environment.ts';

/**
 * The environment that openshift-install and oc get: English messages (they are parsed), the proxies, and nothing else of
 * ours.
 */
export function installerEnvironment(): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { PATH: '/usr/bin:/bin', HOME: '/', ...Object.fromEntries(passed), LANG: 'C', LC_ALL: 'C' };
}
