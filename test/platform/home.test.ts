import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { getConfigHome, getHomeDirectory } from '../../src/platform/environment.ts';

const userHome = userInfo().homedir;

test.each([
  [{ HOME: '/home/ann' }, '/home/ann', '/home/ann/.config'],
  [{ HOME: '/home/ann', XDG_CONFIG_HOME: '/etc/ann' }, '/home/ann', '/etc/ann'],
  [{}, userHome, `${userHome}/.config`],
  [{ HOME: '' }, userHome, `${userHome}/.config`],
  [{ HOME: 'here', XDG_CONFIG_HOME: 'there' }, userHome, `${userHome}/.config`],
])('with %j no path depends on the working directory', (env, home, config) => {
  expect([getHomeDirectory(env), getConfigHome(env)]).toEqual([home, config]);
});
