import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  createAuthority,
  createRequest,
  issueCertificate,
  parseRequest,
  signRequest,
} from '../../src/rehearsal/pki.ts';

const validity = { notBefore: Date.UTC(2026, 0, 1), notAfter: new Date(Date.UTC(2027, 0, 1)) };

describe('pki', () => {
  test('a CA signs certificates that its own certificate verifies', async () => {
    const authority = await createAuthority('kube-apiserver-lb-signer', validity);
    const ca = new X509Certificate(authority.certPem);
    const issued = await issueCertificate(authority, {
      commonName: 'api.ocp.example.test',
      organization: 'ours, "quoted"',
      dnsNames: ['api.ocp.example.test'],
      ipAddresses: ['127.16.0.111', 'fd00::1'],
      usage: 'server',
      ...validity,
    });
    const certificate = new X509Certificate(issued.certPem);
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.keyPem))).toBe(true);
    expect(certificate.checkHost('api.ocp.example.test')).toBe('api.ocp.example.test');
    expect(certificate.checkIP('127.16.0.111')).toBe('127.16.0.111');
    expect(certificate.checkIP('fd00::1')).toBe('fd00::1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(new Date(certificate.validTo)).toEqual(validity.notAfter);
    expect(certificate.subject).toBe('O=ours\\, \\"quoted\\"\nCN=api.ocp.example.test');
    expect(issued.certPem.endsWith('-----\n')).toBe(true);
  });

  test('a request contains the requested names, and its certificate the same key and names', async () => {
    const authority = await createAuthority('kubelet-signer', validity);
    const { requestPem, keyPem } = await createRequest({
      commonName: 'system:node:w1',
      organization: 'system:nodes',
      dnsNames: ['w1'],
      ipAddresses: ['172.16.0.31'],
    });
    expect(await parseRequest(requestPem)).toEqual({
      commonNames: ['system:node:w1'],
      organizations: ['system:nodes'],
      dnsNames: ['w1'],
      ipAddresses: ['172.16.0.31'],
      emailAddresses: [],
      uris: [],
      isSelfSigned: true,
    });
    const certificate = new X509Certificate(await signRequest(authority, requestPem, { ...validity, usage: 'server' }));
    expect(certificate.publicKey.equals(createPublicKey(keyPem))).toBe(true);
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:w1');
    expect(certificate.subjectAltName).toBe('DNS:w1, IP Address:172.16.0.31');
    expect(certificate.verify(new X509Certificate(authority.certPem).publicKey)).toBe(true);
  });

  test('a request can be made again with the same key', async () => {
    const first = await createRequest({ commonName: 'system:node:w1' });
    const second = await createRequest({ commonName: 'system:node:w2', key: first.keyPem });
    expect(createPublicKey(second.keyPem).equals(createPublicKey(first.keyPem))).toBe(true);
    expect(await parseRequest(second.requestPem)).toMatchObject({
      commonNames: ['system:node:w2'],
      isSelfSigned: true,
    });
  });

  test('detects a request that was changed after it was signed', async () => {
    const { requestPem } = await createRequest({ commonName: 'system:node:w1' });
    const der = Buffer.from(requestPem.replace(/-----[^-]+-----/g, ''), 'base64');
    der[der.indexOf('system:node:w1') + 13] = '2'.charCodeAt(0);
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(await parseRequest(forged)).toMatchObject({ commonNames: ['system:node:w2'], isSelfSigned: false });
  });

  test('refuses what is not one request', async () => {
    const { requestPem } = await createRequest({ commonName: 'x' });
    const { certPem } = await createAuthority('x', validity);
    await expect(parseRequest(certPem)).rejects.toThrow('CERTIFICATE REQUEST');
    await expect(parseRequest(requestPem + requestPem)).rejects.toThrow('CERTIFICATE REQUEST');
    await expect(parseRequest('junk')).rejects.toThrow();
  });
});
