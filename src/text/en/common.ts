export const common = {
  product: 'upi-wizard',
  nothing: '—',
} as const;
