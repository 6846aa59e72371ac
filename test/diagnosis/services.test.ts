import { expect, test } from 'vitest';
import { gatherSilent, judgeServices, type ServiceAnswer } from '../../src/diagnosis/hosts/services.ts';

const answer = (server: string, kind: 'dns' | 'reverse', what: string, isSilent: boolean): ServiceAnswer => ({
  kind,
  server,
  what,
  isOk: false,
  isSilent,
  detail: isSilent ? `the name server ${server} does not answer` : `${what} does not exist`,
});
const nameOf = (server: string) => (server === '10.0.0.2' ? 'ns1' : server);

test('a name server that says nothing is one line, whatever it was asked', () => {
  const asked = [
    answer('10.0.0.2', 'dns', 'api', true),
    answer('10.0.0.2', 'reverse', '10.0.0.9', true),
    { kind: 'port', server: '10.0.0.3', what: '10.0.0.3:6443', isOk: false, detail: 'refused' } as const,
  ];
  const [silent, port, ...others] = judgeServices(gatherSilent(asked, nameOf));
  expect(others).toEqual([]);
  expect(silent).toMatchObject({
    code: 'service-silent',
    title: 'ns1 does not answer yet (2 names)',
    cause: '',
  });
  expect(port).toMatchObject({ code: 'service-port' });
  // What somebody else sets up has no install.sh.
  const theirs = asked.map((each) => ({ ...each, isForeign: true }));
  const fixes = judgeServices([...theirs, ...gatherSilent(theirs, nameOf)]).map(({ whatToDo }) => whatToDo);
  expect(fixes.length).toBe(5);
  for (const fix of fixes) expect(fix).not.toMatch(/install\.sh|journalctl|systemctl/);
});

test('one that answers some of the questions, or knows no such name, is judged name by name', () => {
  const some = [answer('10.0.0.2', 'dns', 'api', true), answer('10.0.0.2', 'dns', 'm1', false)];
  expect(gatherSilent(some, nameOf)).toEqual(some);
});
