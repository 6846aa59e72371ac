import { START_TIME_SERVER } from '../support/real-site.ts';
import type { SiteFault } from './fault.ts';

/** One clock is wrong, and the others are right. */
export const CLOCK_FAULTS: readonly SiteFault[] = [
  {
    id: 'time-server-ahead',
    kind: 5,
    diagnose: 'same',
    title: "The company's time server is 2 h ahead of all others",
    async plant(site) {
      const restart = `kill "$(cat /run/chronyd.pid)"; while ss -Hlun | grep -q :123; do sleep 0.05; done; rm /run/chronyd.pid; ${START_TIME_SERVER}`;
      site.onRestore(() => site.shell('company', restart));
      await site.setClock('company', 7200);
      await site.shell('company', restart);
    },
    expects: { pattern: /192\.168\.124\.1.*(?:2 h|\b7(?:200|199)\d{3} ms)/i },
  },
  {
    id: 'bastion-ahead',
    kind: 5,
    diagnose: 'same',
    title: 'The clock of the bastion is 2 h ahead of the time server, the API and all hosts',
    plant: (site) => site.setClock('bastion', 7200),
    expects: { pattern: /this machine.*2 h.*ahead|this machine.*ahead.*2 h/i },
    symptoms: /^(?:host-clock|ntp-servers|api-clock)/,
  },
  {
    id: 'ns1-behind',
    kind: 5,
    diagnose: 'same',
    title: 'The clock of ns1 is 10 minutes behind',
    plant: (site) => site.setClock('ns1', -600),
    expects: { pattern: /ns1.*(?:10 min|600).*behind|ns1.*-(?:10 min|600)|behind.*ns1/i },
  },
  {
    id: 'time-server-silent',
    kind: 5,
    title: 'The time server of the design does not answer',
    byHand: 'the time server belongs to other people',
    plant: (site) =>
      site.change(
        'company',
        "nft 'add table inet clock; add chain inet clock input { type filter hook input priority 0; }; add rule inet clock input udp dport 123 drop'",
        'nft delete table inet clock',
      ),
    expects: { pattern: /^ntp-servers 192\.168\.124\.1/ },
  },
];
