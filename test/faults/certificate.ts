import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Just enough DER to make certificates for tests, so that no key has to be kept in the repository. */
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const size =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes))
const bits = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes)
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
const commonName = (name: string) => sequence(der(0x31, sequence(oid(0x55, 4, 3), der(0x0c, Buffer.from(name)))))
const ecdsaSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
const extension = (id: number, critical: boolean, value: Buffer) =>
  sequence(oid(0x55, 0x1d, id), ...(critical ? [der(0x01, Buffer.from([255]))] : []), der(0x04, value))

export type Issued = { cert: string; key: string }
type Issuer = { name: string; privateKey: KeyObject }

const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`

const issue = (
  name: string,
  issuer: Issuer | undefined,
  validity: [Date, Date],
  extensions: Buffer[],
): Issued & { issuer: Issuer } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const signer = issuer ?? { name, privateKey }
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...Buffer.from(String(Math.floor(performance.now() * 1000) % 1e9))])),
    ecdsaSha256,
    commonName(signer.name),
    sequence(time(validity[0]), time(validity[1])),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const cert = sequence(body, ecdsaSha256, bits(sign('sha256', body, signer.privateKey)))
  return {
    cert: pem('CERTIFICATE', cert),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    issuer: { name, privateKey },
  }
}

const day = 86_400_000
const around = (from: number, to: number): [Date, Date] => [
  new Date(Date.now() + from * day),
  new Date(Date.now() + to * day),
]

/** An authority and certificates of it: for a host, expired for that host, and one that nobody vouches for. */
export const makeCertificates = (host: string) => {
  const authority = issue('test authority', undefined, around(-1, 1), [
    extension(19, true, sequence(der(0x01, Buffer.from([255])))),
  ])
  const names = [extension(17, false, sequence(der(0x82, Buffer.from(host))))]
  return {
    authority: authority.cert,
    good: issue(host, authority.issuer, around(-1, 1), names),
    expired: issue(host, authority.issuer, around(-3, -2), names),
    selfSigned: issue(host, undefined, around(-1, 1), names),
  }
}
