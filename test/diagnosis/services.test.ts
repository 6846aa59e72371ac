import { expect, test } from 'vitest';
import {
  gatherUnheard,
  judgeServices,
  nameAnswer,
  portAnswer,
  type ServiceAnswer,
} from '../../src/diagnosis/hosts/services.ts';

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
  const [silent, port, ...others] = judgeServices(gatherUnheard(asked, nameOf));
  expect(others).toEqual([]);
  expect(silent).toMatchObject({
    code: 'service-silent',
    title: 'ns1 does not answer yet (2 names)',
    cause: '',
  });
  expect(port).toMatchObject({ code: 'service-port' });
  // What somebody else sets up has no install.sh.
  const theirs = asked.map((each) => ({ ...each, isForeign: true }));
  const fixes = judgeServices([...theirs, ...gatherUnheard(theirs, nameOf)]).map(({ whatToDo }) => whatToDo);
  expect(fixes.length).toBe(5);
  for (const fix of fixes) expect(fix).not.toMatch(/install\.sh|journalctl|systemctl/);
});

test('one that answers some of the questions, or knows no such name, is judged name by name', () => {
  const some = [answer('10.0.0.2', 'dns', 'api', true), answer('10.0.0.2', 'dns', 'm1', false)];
  expect(gatherUnheard(some, nameOf)).toEqual(some);
});

test('a host for which nothing leaves this machine is one line, and nobody there is blamed', () => {
  const kept = 'nothing leaves this machine for 10.0.0.2: network is unreachable';
  const name = nameAnswer(
    { kind: 'dns', server: '10.0.0.2', what: 'api', isSilent: true, isUnsent: true },
    ['1'],
    [],
    kept,
  );
  const port = portAnswer('10.0.0.2', 6443, { state: 'unsent', detail: kept }, true);
  const theirs = portAnswer('10.0.0.2', 22623, { state: 'unsent', detail: kept }, false);
  const found = judgeServices(gatherUnheard([name, port, theirs], nameOf));
  expect(found).toEqual([
    expect.objectContaining({
      code: 'service-unsent',
      subject: '10.0.0.2',
      title: 'this machine has no way to ns1',
      cause: kept,
      whatToDo: expect.not.stringMatching(/install\.sh|journalctl/),
    }),
  ]);
  // Somebody answered there: the way is known, and each question has an answer of its own.
  const open = portAnswer('10.0.0.2', 443, { state: 'open', detail: 'open' }, true);
  expect(gatherUnheard([name, open], nameOf)).toEqual([name, open]);
});
