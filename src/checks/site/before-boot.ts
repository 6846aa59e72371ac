import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { query, type SiteCheck, staticResult } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

/** Maximum clock offset in ms. Nodes compare certificates with their clock; etcd and kubelets tolerate a second. */
const MAX_OFFSET_MS = 1000;

/** No other machine uses a node's address. A running node answers with its own MAC address. */
export const ipConflict: SiteCheck<'ip-conflict'> = {
  code: 'ip-conflict',
  phase: 'before-boot',
  severity: 'fatal',
  listQueries: ({ nodes }) =>
    nodes.map(({ name, address, mac }) => {
      const command = `ping -c 1 -W 1 ${address}; ip neigh show ${address}`;
      return query('neighbour', { address }, { subject: `${name} ${address}`, command }, (answer) => {
        if (answer.mac === null)
          return answer.isLocal
            ? { state: 'ok', detail: words().free }
            : { state: 'unknown', detail: words().notLocal };
        const isOwn = answer.mac.toLowerCase() === mac.toLowerCase();
        return { state: isOwn ? 'ok' : 'failed', detail: isOwn ? words().itself(mac) : words().other(answer.mac, mac) };
      });
    }),
};

/** Each time server answers, and its time matches this machine's clock. */
export const timeServers: SiteCheck<'ntp-servers'> = {
  code: 'ntp-servers',
  phase: 'before-boot',
  severity: 'warning',
  listQueries: ({ timeServers: all }) =>
    all.map((server) =>
      query(
        'time',
        { server },
        { subject: server, command: `chronyd -Q 'server ${server} iburst'` },
        ({ offsetMs, withinMs = 0, detail, isNotQueried = false }) => {
          if (isNotQueried) return { state: 'unknown', detail: words().registry.needsOnline };
          if (offsetMs === null) return { state: 'failed', detail };
          const isClose = Math.abs(offsetMs) <= MAX_OFFSET_MS + withinMs;
          return { state: isClose ? 'ok' : 'failed', detail: words().offset(offsetMs) };
        },
      ),
    ),
};

/**
 * The API's clock matches this machine's: otherwise requests with a token or a certificate fail. Pending before there
 * is an API.
 */
export const apiClock: SiteCheck<'api-clock'> = {
  code: 'api-clock',
  phase: 'before-boot',
  severity: 'warning',
  listQueries: ({ api }) => {
    const command = `curl -skI https://${formatUrlHost(api)}:6443/version; date -u`;
    return [
      query(
        'date',
        { host: api, port: 6443 },
        { subject: 'API', command },
        ({ offsetMs, withinMs = 0, isThere, detail }) => {
          if (offsetMs === null) return { state: isThere ? 'unknown' : 'pending', detail };
          // The date in the response has whole seconds.
          const isClose = Math.abs(offsetMs) <= 2 * MAX_OFFSET_MS + withinMs;
          return { state: isClose ? 'ok' : 'failed', detail: words().offset(offsetMs) };
        },
      ),
    ];
  },
};

/**
 * The bootstrap node finds its own address by its default route (`ip route get 1.1.1.1`), and announces it to the nodes
 * that connect to its port 8091 (openshift/installer#10344).
 */
export const bootstrapRoute: SiteCheck<'bootstrap-route'> = {
  code: 'bootstrap-route',
  phase: 'before-boot',
  severity: 'warning',
  listQueries: ({ konnectivity, bootstrap }) =>
    konnectivity === null || bootstrap === null
      ? []
      : [
          staticResult(
            { subject: bootstrap, command: `ssh core@${konnectivity.bootstrap} ip route get 1.1.1.1` },
            konnectivity.hasRoute
              ? { state: 'ok', detail: words().hasRoute }
              : { state: 'failed', detail: words().noRoute },
          ),
        ],
};

/**
 * Nodes connect to this port of the bootstrap node if the release has konnectivity; it is open only while the bootstrap
 * runs.
 */
export const bootstrapTunnel: SiteCheck<'bootstrap-8091'> = {
  code: 'bootstrap-8091',
  phase: 'before-boot',
  severity: 'warning',
  listQueries: ({ konnectivity, bootstrap }) =>
    konnectivity === null || bootstrap === null
      ? []
      : [
          query(
            'tcp',
            { host: konnectivity.bootstrap, port: 8091 },
            { subject: bootstrap, command: `nc -vz ${konnectivity.bootstrap} 8091` },
            ({ state, detail }) => {
              if (state === 'open' || state === 'closed-at-once') return { state: 'ok', detail };
              // The release may not have konnectivity, or the bootstrap is not that far yet: from outside both look the
              // same.
              if (state === 'refused') return { state: 'unknown', detail: words().noKonnectivity(detail) };
              return { state: 'pending', detail };
            },
          ),
        ],
};
