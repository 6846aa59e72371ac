import { catalogue } from '../../text/catalogue.ts';
import { urlHost } from '../../text/url-host.ts';
import { ask, type SiteCheck, told } from './question.ts';

const words = () => catalogue().diagnosis.site.said;

/** Nodes compare certificates with their clock; etcd and kubelets bear a second. */
const MOST_OFFSET = 1000;

/** Nobody else has a node's address. A machine that is on answers with its own MAC address. */
export const addressConflict: SiteCheck<'ip-conflict'> = {
  code: 'ip-conflict',
  phase: 'before-boot',
  severity: 'fatal',
  asks: ({ nodes }) =>
    nodes.map(({ name, address, mac }) => {
      const command = `ping -c 1 -W 1 ${address}; ip neigh show ${address}`;
      return ask('neighbour', { address }, { subject: `${name} ${address}`, command }, (answer) => {
        if (answer.mac === null)
          return answer.isLocal
            ? { state: 'ok', detail: words().free }
            : { state: 'unknown', detail: words().notLocal };
        const isOwn = answer.mac.toLowerCase() === mac.toLowerCase();
        return { state: isOwn ? 'ok' : 'failed', detail: isOwn ? words().itself(mac) : words().other(answer.mac, mac) };
      });
    }),
};

/** Each time server answers, and its time is ours. */
export const timeServers: SiteCheck<'ntp-servers'> = {
  code: 'ntp-servers',
  phase: 'before-boot',
  severity: 'warning',
  asks: ({ timeServers: all }) =>
    all.map((server) =>
      ask(
        'time',
        { server },
        { subject: server, command: `chronyd -Q 'server ${server} iburst'` },
        ({ offsetMs, withinMs = 0, detail, isUnasked = false }) => {
          if (isUnasked) return { state: 'unknown', detail: words().registry.onlyOnline };
          if (offsetMs === null) return { state: 'failed', detail };
          const isNear = Math.abs(offsetMs) <= MOST_OFFSET + withinMs;
          return { state: isNear ? 'ok' : 'failed', detail: words().offset(offsetMs) };
        },
      ),
    ),
};

/** The API's clock is ours: requests with a token or a certificate fail otherwise. Before there is an API, it is silent. */
export const apiClock: SiteCheck<'api-clock'> = {
  code: 'api-clock',
  phase: 'before-boot',
  severity: 'warning',
  asks: ({ api }) => {
    const command = `curl -skI https://${urlHost(api)}:6443/version; date -u`;
    return [
      ask(
        'date',
        { host: api, port: 6443 },
        { subject: 'API', command },
        ({ offsetMs, withinMs = 0, isThere, detail }) => {
          if (offsetMs === null) return { state: isThere ? 'unknown' : 'pending', detail };
          // Its date has whole seconds.
          const isNear = Math.abs(offsetMs) <= 2 * MOST_OFFSET + withinMs;
          return { state: isNear ? 'ok' : 'failed', detail: words().offset(offsetMs) };
        },
      ),
    ];
  },
};

/**
 * The bootstrap node finds its own address by its default route (`ip route get 1.1.1.1`), and tells it to the nodes that connect
 * to its port 8091 (openshift/installer#10344).
 */
export const bootstrapRoute: SiteCheck<'bootstrap-route'> = {
  code: 'bootstrap-route',
  phase: 'before-boot',
  severity: 'warning',
  asks: ({ konnectivity, bootstrap }) =>
    konnectivity === null || bootstrap === null
      ? []
      : [
          told(
            { subject: bootstrap, command: `ssh core@${konnectivity.bootstrap} ip route get 1.1.1.1` },
            konnectivity.hasRoute
              ? { state: 'ok', detail: words().hasRoute }
              : { state: 'failed', detail: words().noRoute },
          ),
        ],
};

/** Nodes reach the bootstrap node there, where the release has konnectivity; it is open only while the bootstrap runs. */
export const bootstrapTunnel: SiteCheck<'bootstrap-8091'> = {
  code: 'bootstrap-8091',
  phase: 'before-boot',
  severity: 'warning',
  asks: ({ konnectivity, bootstrap }) =>
    konnectivity === null || bootstrap === null
      ? []
      : [
          ask(
            'tcp',
            { host: konnectivity.bootstrap, port: 8091 },
            { subject: bootstrap, command: `nc -vz ${konnectivity.bootstrap} 8091` },
            ({ state, detail }) => {
              if (state === 'open' || state === 'closed-at-once') return { state: 'ok', detail };
              // It may be a release without it, or not so far yet: nobody can tell from outside.
              if (state === 'refused') return { state: 'unknown', detail: words().noTunnel(detail) };
              return { state: 'pending', detail };
            },
          ),
        ],
};
