/** Debian's nginx with docs/examples/nginx.conf, on ports and with a certificate of the test. */
import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { read } from '../docs/pages.ts'

const run = promisify(execFile)
// Where Debian puts nginx; on the PATH of root's login alone.
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }

type Site = {
  /** Has `cert.pem` and `key.pem`, and gets what nginx writes. */
  directory: string
  /** With TLS, and without. */
  port: number
  plain: number
  /** The server's. */
  upstream: number
}
/** Resolves to what ends it, once its configuration was read. */
export const startNginx = async ({ directory, port, plain, upstream }: Site) => {
  const site = read('docs/examples/nginx.conf')
    .replace('127.0.0.1:8750', `127.0.0.1:${upstream}`)
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('server_name tools.example.org', 'server_name localhost')
    .replace('/etc/ssl/tools.example.org.pem', join(directory, 'cert.pem'))
    .replace('/etc/ssl/private/tools.example.org.key', join(directory, 'key.pem'))
  await mkdir(join(directory, 'nginx'))
  await writeFile(join(directory, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/nginx/${name};`)
    .join(' ')
  const main = `${process.getuid?.() === 0 ? 'user root;' : ''} pid ${directory}/nginx/pid; error_log ${directory}/nginx/error.log; worker_processes 1;
    events {} http { access_log off; ${temporary} include ${directory}/site.conf; }`
  await writeFile(join(directory, 'nginx.conf'), main)
  await run('nginx', ['-t', '-c', join(directory, 'nginx.conf')], { env })
  const nginx = spawn('nginx', ['-c', join(directory, 'nginx.conf'), '-g', 'daemon off;'], { stdio: 'inherit', env })
  return () => new Promise((done) => nginx.once('exit', done) && nginx.kill('SIGQUIT'))
}
