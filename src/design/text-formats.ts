// Accepted formats of text in a design. Values are checked before they go into generated files, boot scripts and
// command lines. No accepted value can end a line, a string or a statement there.

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is a single DNS label in lower case (RFC 1123), 63 characters at most. */
export function isDnsLabel(text: string): boolean {
  return DNS_LABEL.test(text);
}

/** Whether a text is labels joined by dots, in lower case, 253 characters at most, no dot at the end. */
export function isDomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every(isDnsLabel);
}

/** Whether a text is a domain whose last label is not a number: with one, programs read it as an address. */
export const isDomainNotEndingInNumber = (text: string): boolean => isDomain(text) && !/(?:^|\.)\d+$/.test(text);

/** Whether a text is the path of a device below /dev, without `..`. */
export function isDevicePath(text: string): boolean {
  return /^\/dev(?:\/[A-Za-z0-9_.:+=@-]+)+$/.test(text) && !/\/\.\.?(?:\/|$)/.test(text) && text.length <= 255;
}

/** Whether a text is the name of a Linux network interface, without the separators of `ip=` arguments. */
export function isInterfaceName(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/.test(text);
}

/** Whether a text is one kernel argument that means the same to iPXE, GRUB, the kernel and a shell. */
export function isKernelArgument(text: string): boolean {
  return /^[A-Za-z0-9_.,:=/@+%[\]-]{1,500}$/.test(text);
}

/** Whether a text is a Kubernetes qualified name: `[domain/]name`. */
export function isQualifiedName(text: string): boolean {
  const [name = '', domain, ...rest] = text.split('/').reverse();
  return rest.length === 0 && name !== '' && isLabelValue(name) && (domain === undefined || isDomain(domain));
}

/** Whether a text is a Kubernetes label value (may be empty). */
export function isLabelValue(text: string): boolean {
  return /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/.test(text);
}

/**
 * Whether a text is a URL with one of the schemes, in printable ASCII without quotes, blanks and characters that shells
 * or templates expand.
 */
export function isPlainUrl(text: string, schemes: readonly string[]): boolean {
  if (!/^[A-Za-z0-9:/@%._~,=?[\]+-]+$/.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && schemes.includes(url.protocol) && url.hostname !== '';
}

/** Whether a text is `host[:port]/path` without scheme, tag or digest. */
export function isRepository(text: string): boolean {
  const match = /^([A-Za-z0-9.-]+)(?::(\d{1,5}))?((?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*)$/.exec(text);
  if (!match || text.length > 255) return false;
  const [, host = '', port, path] = match;
  const isHost = isDomain(host.toLowerCase());
  return (
    isHost &&
    (host.includes('.') || port !== undefined || host === 'localhost') &&
    (path !== '' || port !== undefined || host.includes('.'))
  );
}

/** Whether a text can be the path of a file: it has no control characters. */
export function isFilePath(text: string): boolean {
  return text !== '' && text.length <= 4096 && !/[\u0000-\u001f\u007f-\u009f]/.test(text) && text.isWellFormed();
}
