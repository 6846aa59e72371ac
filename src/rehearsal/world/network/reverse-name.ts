/** Formats the name of a PTR query: `21.0.16.172.in-addr.arpa`; IPv6 by nibbles. */
export function formatReverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const [head = '', tail = ''] = address.split('::');
  const splitGroups = (text: string) => text.split(':').filter((group) => group !== '');
  const [left, right] = [splitGroups(head), splitGroups(tail)];
  const filled = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  const nibbles = filled.map((group) => group.padStart(4, '0')).join('');
  return `${[...nibbles].reverse().join('.')}.ip6.arpa`;
}
