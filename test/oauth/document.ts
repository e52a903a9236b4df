/** Descriptions of clients at https on this machine, with a certificate that only who is told of it trusts. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/**
 * Every path describes the client of that address. From now on this process trusts the certificate. `name`: of the host,
 * when it is known by another one than the address of this machine.
 */
export const startDocuments = async (redirectUris: string[], name?: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-document-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  execFileSync('openssl', [
    ...made,
    '-keyout',
    key,
    '-out',
    cert,
    '-subj',
    '/CN=documents',
    '-addext',
    `subjectAltName=${name === undefined ? 'IP:127.0.0.1' : `DNS:${name}`}`,
  ])
  const pem = readFileSync(cert, 'utf8')
  setDefaultCACertificates([...getCACertificates(), pem])
  let origin = ''
  const server = createServer({ key: readFileSync(key), cert: pem }, (request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        client_id: `${origin}${request.url}`,
        client_name: 'A host',
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
      }),
    ),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  origin = name === undefined ? `https://127.0.0.1:${port}` : `https://${name}`
  return {
    origin,
    port,
    /** A file of whom to trust, for other processes. */
    certificate: cert,
    close() {
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}
