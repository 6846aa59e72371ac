import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { worded } from '../rule.ts';
import { addressConflict, sshHosts, timeServers } from './before-boot.ts';
import { bootScript, bootServer, httpPrograms, ignition, images, nodeScripts, tftpPrograms } from './boot-files.ts';
import { dhcpBoot, dhcpForeign, dhcpLeases, dhcpServer } from './dhcp.ts';
import {
  dnsApi,
  dnsApiInt,
  dnsApps,
  dnsHosts,
  dnsNodes,
  dnsNoWildcard,
  dnsResolver,
  dnsReverse,
  dnsReverseOthers,
  dnsServer,
  dnsUpstream,
} from './dns.ts';
import { lbBootstrap, lbListens, lbMembers } from './load-balancer.ts';
import type { SiteCheck, Verdict } from './question.ts';

/** All checks of a site, in the order in which they are told. */
export const SITE_CHECKS = [
  dnsServer,
  dnsApi,
  dnsApiInt,
  dnsApps,
  dnsNodes,
  dnsHosts,
  dnsReverse,
  dnsReverseOthers,
  dnsNoWildcard,
  dnsUpstream,
  dnsResolver,
  dhcpServer,
  dhcpLeases,
  dhcpBoot,
  dhcpForeign,
  lbListens,
  lbMembers,
  lbBootstrap,
  bootServer,
  bootScript,
  nodeScripts,
  tftpPrograms,
  httpPrograms,
  images,
  ignition,
  addressConflict,
  timeServers,
  sshHosts,
] as const;

export type SiteCode = (typeof SITE_CHECKS)[number]['code'];

/** A verdict of a check, in its words. */
export function siteFinding(
  { code, severity }: SiteCheck<SiteCode>,
  { subject, command }: { readonly subject: string; readonly command: string },
  verdict: Verdict,
): Finding {
  const said = worded({ ...verdict, subject, command }, catalogue().diagnosis.site.checks[code]);
  return { subject, state: verdict.state, severity, ...said, code };
}
