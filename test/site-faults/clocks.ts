import type { RealSite } from '../support/real-site.ts';
import type { SiteFault } from './fault.ts';

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const fakeClock = (offset: string) => ({ LD_PRELOAD: FAKETIME, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' });

/** The time server is replaced by one whose clock is off. */
async function replaceTimeServer(site: RealSite, seconds: number): Promise<void> {
  const dir = '"$LAB/company"';
  await site.change(
    'company',
    `pid="$(cat ${dir}/chronyd.pid)"; kill "$pid"; for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done; rm -f ${dir}/chronyd.pid; nohup setsid python3 ${dir}/time.py ${seconds} </dev/null >/dev/null 2>&1 & echo $! >"$LAB/company/time.pid"; sleep 0.3`,
    `kill "$(cat ${dir}/time.pid)"; nohup setsid chronyd -x -d -f ${dir}/chrony.conf </dev/null >/dev/null 2>&1 & sleep 0.5`,
  );
}

/** One clock is wrong, and the others are right. */
export const CLOCK_FAULTS: readonly SiteFault[] = [
  {
    id: 'time-server-ahead',
    kind: 5,
    diagnose: 'same',
    title: "The company's time server is 2 h ahead of all others",
    plant: (site) => replaceTimeServer(site, 7200),
    expects: { pattern: /192\.168\.124\.1.*(?:2 h|\b7(?:200|199)\d{3} ms)/i },
  },
  {
    id: 'bastion-ahead',
    kind: 5,
    diagnose: 'same',
    title: 'The clock of the bastion is 2 h ahead of the time server, the API and all hosts',
    plant: async (site) => site.setEnvironment(fakeClock('+7200')),
    expects: { pattern: /this machine.*2 h.*ahead|this machine.*ahead.*2 h/i },
    symptoms: /^(?:host-clock|ntp-servers|api-clock)/,
  },
  {
    id: 'ns1-behind',
    kind: 5,
    diagnose: 'same',
    title: 'The clock of ns1 is 10 minutes behind',
    plant: (site) =>
      site.change(
        'ns1',
        `cp -a /usr/bin/date /usr/bin/date.real; rm /usr/bin/date; printf '#!/bin/sh\\nexec env LD_PRELOAD=${FAKETIME} FAKETIME=-600 /usr/bin/date.real "$@"\\n' >/usr/bin/date; chmod 755 /usr/bin/date`,
        'mv -f /usr/bin/date.real /usr/bin/date',
      ),
    expects: { pattern: /ns1.*(?:10 min|600).*behind|ns1.*-(?:10 min|600)|behind.*ns1/i },
  },
  {
    id: 'time-server-silent',
    kind: 5,
    title: 'The time server of the design does not answer',
    plant: (site) =>
      site.change(
        'company',
        "nft 'add table inet clock; add chain inet clock input { type filter hook input priority 0; }; add rule inet clock input udp dport 123 drop'",
        'nft delete table inet clock',
      ),
    expects: { pattern: /^ntp-servers 192\.168\.124\.1/ },
  },
];
