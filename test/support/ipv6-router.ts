import type { Lab } from './lab.ts';
import { waitUntil } from './lab.ts';

/** Answers router solicitations as an IPv6 router that gives no addresses (RFC 4861, 4.1 and 4.2). */
const ROUTER_PROGRAM = `
import socket, struct
sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
lan = socket.if_nametoindex('lan')
sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, socket.inet_pton(socket.AF_INET6, 'ff02::2') + struct.pack('@I', lan))
sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
print('listening', flush=True)
while True:
    if sock.recv(2048)[0] == 133:
        sock.sendto(struct.pack('!BBHBBHII', 134, 0, 0, 64, 0, 1800, 0, 0), ('ff02::1', 0, 0, lan))
`;

/**
 * Starts an IPv6 router on the network of a lab. iPXE solicits one. Without an answer it idles for a quarter of a
 * minute, and takes a core of its own where it is emulated.
 */
export async function startIpv6Router(lab: Lab): Promise<void> {
  lab.start(null, ['python3', '-c', ROUTER_PROGRAM], 'ipv6-router.log');
  await waitUntil('the router', async () =>
    (await lab.run(null, 'cat "$LAB/ipv6-router.log"')).all === 'listening' ? true : null,
  );
}
