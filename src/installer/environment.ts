import { PASSED_THROUGH_VARIABLES } from '../platform/environment.ts';

/**
 * The environment of openshift-install and oc: English messages (they are parsed), the proxies, and nothing else of
 * ours.
 */
export function installerEnvironment(): Record<string, string> {
  const passed = PASSED_THROUGH_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { PATH: '/usr/bin:/bin', HOME: '/', ...Object.fromEntries(passed), LANG: 'C', LC_ALL: 'C' };
}
