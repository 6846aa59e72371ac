import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { configHome, homeDirectory } from '../../src/ports/home.ts';

const own = userInfo().homedir;

test.each([
  [{ HOME: '/home/ann' }, '/home/ann', '/home/ann/.config'],
  [{ HOME: '/home/ann', XDG_CONFIG_HOME: '/etc/ann' }, '/home/ann', '/etc/ann'],
  [{}, own, `${own}/.config`],
  [{ HOME: '' }, own, `${own}/.config`],
  [{ HOME: 'here', XDG_CONFIG_HOME: 'there' }, own, `${own}/.config`],
])('with %j nothing lies where somebody happens to work', (env, home, config) => {
  expect([homeDirectory(env), configHome(env)]).toEqual([home, config]);
});
