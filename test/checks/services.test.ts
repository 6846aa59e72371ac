import { expect, test } from 'vitest';
import {
  compareDnsAnswers,
  evaluatePort,
  evaluateServices,
  joinUnsentServers,
  mergeUnansweredQueries,
  type ServiceProbeResult,
} from '../../src/checks/service-hosts.ts';

const createResult = (
  server: string,
  kind: 'dns' | 'reverse',
  queryText: string,
  isSilent: boolean,
): ServiceProbeResult => ({
  kind,
  server,
  queryText,
  isOk: false,
  isSilent,
  detail: isSilent ? `the name server ${server} does not answer` : `${queryText} does not exist`,
});
const findHostName = (server: string) => (server === '10.0.0.2' ? 'ns1' : server);

test('a name server that does not answer is one finding, whatever the queries', () => {
  const results = [
    createResult('10.0.0.2', 'dns', 'api', true),
    createResult('10.0.0.2', 'reverse', '10.0.0.9', true),
    { kind: 'port', server: '10.0.0.3', queryText: '10.0.0.3:6443', isOk: false, detail: 'refused' } as const,
  ];
  const [silent, port, ...others] = evaluateServices(mergeUnansweredQueries(results, findHostName));
  expect(others).toEqual([]);
  expect(silent).toMatchObject({
    code: 'service-silent',
    title: 'ns1 does not answer yet (2 names queried)',
    cause: '',
  });
  expect(port).toMatchObject({ code: 'service-port' });
  // Servers that others set up have no install.sh.
  const foreignResults = results.map((each) => ({ ...each, isExternal: true }));
  const remedies = evaluateServices([...foreignResults, ...mergeUnansweredQueries(foreignResults, findHostName)]).map(
    ({ remedy }) => remedy,
  );
  expect(remedies.length).toBe(5);
  for (const remedy of remedies) expect(remedy).not.toMatch(/install\.sh|journalctl|systemctl/);
});

test('a name server that answers some queries, or knows no such name, is evaluated name by name', () => {
  const some = [createResult('10.0.0.2', 'dns', 'api', true), createResult('10.0.0.2', 'dns', 'm1', false)];
  expect(mergeUnansweredQueries(some, findHostName)).toEqual(some);
});

test('a host without a route from this machine is one finding, and its services get none', () => {
  const sendBlockReason = 'network is unreachable';
  const noRoute = `nothing leaves this machine for 10.0.0.2: ${sendBlockReason}`;
  const name = compareDnsAnswers(
    { kind: 'dns', server: '10.0.0.2', queryText: 'api', isSilent: true, sendBlockReason },
    ['1'],
    [],
    noRoute,
  );
  const port = evaluatePort('10.0.0.2', 6443, { state: 'unsent', detail: noRoute, sendBlockReason }, true);
  const foreignPort = evaluatePort('10.0.0.2', 22623, { state: 'unsent', detail: noRoute, sendBlockReason }, false);
  const found = evaluateServices(mergeUnansweredQueries([name, port, foreignPort], findHostName));
  expect(found).toEqual([
    expect.objectContaining({
      code: 'service-unsent',
      subject: '10.0.0.2',
      title: 'this machine cannot send to ns1',
      cause: sendBlockReason,
      remedy: expect.not.stringMatching(/install\.sh|journalctl/),
    }),
  ]);
  // A port there answered: the route works, and each query keeps its own result.
  const open = evaluatePort('10.0.0.2', 443, { state: 'open', detail: 'open' }, true);
  expect(mergeUnansweredQueries([name, open], findHostName)).toEqual([name, open]);
  // Several hosts behind one missing route are one finding; one that the own firewall blocks is another.
  const unsent = (server: string, detail: string) =>
    ({ kind: 'unsent', server, queryText: findHostName(server), isOk: false, detail }) as const;
  const blocked = unsent('10.0.0.4', 'its own firewall blocks the packets');
  const hosts = [unsent('10.0.0.2', sendBlockReason), blocked, unsent('10.0.0.3', sendBlockReason)];
  expect(
    evaluateServices(joinUnsentServers(hosts)).map(({ title, subject, cause }) => [title, subject, cause]),
  ).toEqual([
    ['this machine cannot send to ns1, 10.0.0.3', '10.0.0.2, 10.0.0.3', sendBlockReason],
    ['this machine cannot send to 10.0.0.4', '10.0.0.4', blocked.detail],
  ]);
});

test('a load balancer that closes at once has no member yet, unless a node already answers on the port', () => {
  const closed = { state: 'closed-at-once', detail: 'closed' } as const;
  expect(evaluatePort('10.0.0.2', 22623, closed, true)).toMatchObject({
    isOk: true,
    detail: 'accepts connections; no member is up yet',
  });
  const unused = evaluatePort('10.0.0.2', 22623, closed, true, 'm1');
  expect(evaluateServices([unused])).toEqual([
    expect.objectContaining({
      code: 'service-port',
      subject: '10.0.0.2:22623',
      title: 'the load balancer forwards nothing on 10.0.0.2:22623',
      cause: 'accepts connections and closes them at once, although m1 answers on this port',
    }),
  ]);
});
