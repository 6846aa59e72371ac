import { BEFORE_BOOT_CHECKS } from './before-boot.ts';
import { BMC_CHECKS } from './bmc.ts';
import { BOOT_FILE_CHECKS } from './boot-files.ts';
import { CERTIFICATE_CHECKS } from './certificates.ts';
import { CLOCK_CHECKS } from './clocks.ts';
import { DHCP_CHECKS } from './dhcp.ts';
import { DNS_CHECKS } from './dns.ts';
import { FROM_HOSTS_CHECKS } from './from-hosts.ts';
import { HOST_CHECKS } from './hosts.ts';
import { IGNITION_CHECKS } from './ignition.ts';
import { LOAD_BALANCER_CHECKS } from './load-balancer.ts';
import { MEMBER_CHECKS } from './members.ts';
import { PACKET_CHECKS } from './packets.ts';
import { RESOLVER_CHECKS } from './resolver.ts';
import { ROUTE_AND_PROXY_CHECKS } from './routes-and-proxies.ts';
import { SERVICE_PROCESS_CHECKS } from './services.ts';

/** All checks of a site, in the order of the report. */
export const SITE_CHECKS = [
  ...PACKET_CHECKS,
  ...CLOCK_CHECKS,
  ...ROUTE_AND_PROXY_CHECKS,
  ...HOST_CHECKS,
  ...SERVICE_PROCESS_CHECKS,
  ...DNS_CHECKS,
  FROM_HOSTS_CHECKS.dns,
  ...RESOLVER_CHECKS,
  ...DHCP_CHECKS,
  ...LOAD_BALANCER_CHECKS,
  ...MEMBER_CHECKS,
  FROM_HOSTS_CHECKS.loadBalancer,
  ...CERTIFICATE_CHECKS,
  ...BOOT_FILE_CHECKS,
  FROM_HOSTS_CHECKS.http,
  ...IGNITION_CHECKS,
  ...BEFORE_BOOT_CHECKS,
  ...BMC_CHECKS,
];

export type SiteCheckId = (typeof SITE_CHECKS)[number]['id'];
