import type { Design } from '../../../design/model.ts';
import { HOUR, systemClock } from '../../../platform/clock.ts';
import { createAuthority, issueCertificate } from '../../pki.ts';
import { listBmcs } from '../../site/bmcs.ts';
import { buildTlsFields, type Endpoint } from './endpoints.ts';

const BMC_PORT = 443;
const TEN_YEARS = 3650 * 24 * HOUR;

/** Creates the Redfish servers of the BMCs: they serve the service root (DSP0266) and answer other paths with 401. */
export async function createBmcPorts(design: Design): Promise<readonly Endpoint[]> {
  return await Promise.all(
    listBmcs(design).map(async ({ address }): Promise<Endpoint> => {
      const now = systemClock.now();
      const options = { notBefore: now - HOUR, notAfter: now + TEN_YEARS, usage: 'server' } as const;
      const authority = await createAuthority(`bmc-${address}`, options);
      const names = { commonName: address, ipAddresses: [address] };
      const certificate = await issueCertificate(authority, { ...names, ...options });
      return {
        address,
        port: BMC_PORT,
        ...buildTlsFields(certificate),
        handler: (request, response) => {
          if (request.url !== '/redfish/v1/') return void response.writeHead(401).end();
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"RedfishVersion":"1.15.0"}');
        },
      };
    }),
  );
}
