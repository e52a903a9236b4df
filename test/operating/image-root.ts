/**
 * The root of the image on this machine, made by the steps of the Containerfile. In place of a base from a registry it
 * has the Debian of that base, made with debootstrap, with Node and npm; where debootstrap or its mirror is missing, a
 * folder with Node and the libraries that it needs. Processes in it see what they would see in a container: a root that is
 * read-only, one volume, a user that is not root, process 1.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildPrograms } from '../../scripts/build.ts'
import { root as checkout } from '../docs/pages.ts'
import { readImage } from '../support/container-files.ts'

/** Why this machine cannot run the image's files; undefined when it can. */
export const whyNoRoot = (): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can make a root for others on Linux'
  const { status, stderr, error } = spawnSync(
    'unshare',
    ['--mount', '--pid', '--fork', 'sh', '-c', 'mount --make-rprivate / && setpriv --no-new-privs true'],
    { encoding: 'utf8' },
  )
  return status === 0 ? undefined : `unshare, mount or setpriv fail here: ${error?.message ?? stderr.trim()}`
}

const programs = ['/usr/bin/env', '/usr/bin/sleep']
const devices = ['null', 'zero', 'random', 'urandom']

/** Mounts what a container has, makes the rest read-only, and runs a program as the image's user. */
const enter = `set -e
root=$1 user=$2 volume=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$root$volume" "$root$volume"
for device in ${devices.join(' ')}; do mount --bind "/dev/$device" "$root/dev/$device"; done
mount -t proc proc "$root/proc"
mount -o remount,ro,bind "$root"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"`

const librariesOf = (program: string) =>
  [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!)

const image = readImage()

const addPrograms = (root: string) => {
  const put = (from: string, to = from) => {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    try {
      linkSync(from, join(root, to))
    } catch {
      // On another file system.
      copyFileSync(from, join(root, to))
      chmodSync(join(root, to), 0o755)
    }
  }
  put(process.execPath, '/usr/local/bin/node')
  for (const program of programs) put(program)
  for (const library of new Set([process.execPath, ...programs].flatMap(librariesOf))) copyTo(root, library)
}
/** The suite of Debian that the image is based on. */
const suite = /-(\w+)-slim$/.exec(image.all.find(({ name }) => name === 'ARG')!.text)![1]!

/** Whether a folder is there that nobody but this user can have made: its programs run as this user. */
const isOwn = (folder: string): boolean => {
  const { uid, mode } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  if (uid === undefined || mode === undefined) return false
  if (uid !== process.getuid!() || (mode & 0o022) !== 0)
    throw new Error(`${folder} belongs to somebody else, or others may write to it. Remove it.`)
  return true
}

/** That Debian, made once and kept in the folder for temporary files; undefined where debootstrap cannot make it. */
const makeDebian = (): string | undefined => {
  const base = join(tmpdir(), `toolyard-debian-${suite}`)
  if (isOwn(base)) return base
  const draft = mkdtempSync(`${base}-`)
  // For others, too: the server is not root.
  chmodSync(draft, 0o755)
  const { status, error, stdout } = spawnSync('debootstrap', ['--variant=minbase', suite, draft], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    // A mirror that does not answer.
    timeout: 200_000,
  })
  if (status === 0) {
    renameSync(draft, base)
    return base
  }
  // Killed by the timeout, it leaves file systems mounted there.
  spawnSync('rm', ['-rf', '--one-file-system', draft])
  console.warn(`The image is tried without Debian: debootstrap: ${error?.message ?? stdout.trim().split('\n').at(-1)}`)
  return undefined
}

/** The base of the image: Debian, Node and npm. */
const addDebian = (root: string, debian: string) => {
  // Nothing writes these files: the steps add files of their own.
  execFileSync('cp', ['-al', `${debian}/.`, root])
  copyTo(root, process.execPath, '/usr/local/bin/node')
  const modules = '/usr/local/lib/node_modules'
  const program = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  cpSync(dirname(dirname(realpathSync(program))), join(root, modules, 'npm'), { recursive: true, dereference: true })
  symlinkSync(`${modules}/npm/bin/npm-cli.js`, join(root, 'usr/local/bin/npm'))
}
const copyTo = (root: string, file: string, to = file) => {
  mkdirSync(dirname(join(root, to)), { recursive: true })
  copyFileSync(file, join(root, to))
  chmodSync(join(root, to), 0o755)
}
/** What is mounted over when a process enters. */
const addPlaces = (root: string) => {
  for (const folder of ['proc', 'dev', 'run/secrets', 'tmp']) mkdirSync(join(root, folder), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const device of devices) if (!existsSync(join(root, 'dev', device))) writeFileSync(join(root, 'dev', device), '')
}

/** Runs a step within the Debian of the image, as it is. */
const runInside = (root: string, text: string) =>
  execFileSync(
    'chroot',
    [root, '/usr/bin/env', '-i', 'HOME=/root', 'PATH=/usr/local/bin:/usr/bin:/bin', 'sh', '-c', text],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )

/** Runs a step outside, with the paths of the image below `root`. */
const runOutside = (root: string, tarball: string, text: string) => {
  const here = (text: string) =>
    text
      .replaceAll('/tmp/toolyard.tgz', tarball)
      .replaceAll(
        /(^|[ =])(\/(?:opt|data|usr\/local\/share)\b)/g,
        (_, before: string, path: string) => before + root + path,
      )
  execFileSync('sh', ['-c', here(text)], {
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Carries out COPY and RUN of the Containerfile. */
const followSteps = (root: string, tarball: string, isDebian: boolean) => {
  const inside = join(root, 'tmp/toolyard.tgz')
  if (isDebian) copyFileSync(tarball, inside)
  for (const { name, text } of image.all) {
    if (name === 'RUN') {
      if (isDebian) runInside(root, text)
      else runOutside(root, tarball, text)
    }
    if (name !== 'COPY' || !text.startsWith('--from')) continue
    const [from, to] = text.split(' ').filter((word) => !word.startsWith('--'))
    if (from !== to) {
      mkdirSync(dirname(join(root, to!)), { recursive: true })
      copyFileSync(join(root, from!), join(root, to!))
    }
    const owner = /--chown=(\d+):(\d+)/.exec(text)
    if (owner) chownSync(join(root, to!), Number(owner[1]), Number(owner[2]))
  }
  rmSync(inside, { force: true })
}

const pack = async (place: string): Promise<string> => {
  await buildPrograms()
  const name = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', place], {
    cwd: checkout,
    encoding: 'utf8',
  })
  return join(place, name.trim().split('\n').at(-1)!)
}

export const makeRoot = async () => {
  const place = mkdtempSync(join(tmpdir(), 'toolyard-image-'))
  // Others must be able to pass through it.
  chmodSync(place, 0o755)
  const root = join(place, 'root')
  mkdirSync(root)
  const debian = makeDebian()
  if (debian === undefined) addPrograms(root)
  else addDebian(root, debian)
  addPlaces(root)
  followSteps(root, await pack(place), debian !== undefined)
  const inside = (env: Record<string, string>, command: string[]) => [
    '/usr/bin/env',
    '-i',
    ...Object.entries({ ...image.env, ...env }).map(([name, value]) => `${name}=${value}`),
    ...command,
  ]
  return {
    root,
    isDebian: debian !== undefined,
    /** A secret as Docker and Kubernetes mount it. */
    mountSecret(name: string, text: string) {
      const file = join(root, 'run/secrets', name)
      writeFileSync(file, `${text}\n`)
      chmodSync(file, 0o444)
    },
    /** Starts the command of the image, or another one. */
    start(env: Record<string, string>, command = image.command) {
      const child = spawn(
        'unshare',
        ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', enter, 'sh', root, image.user, image.volume].concat(
          inside(env, command),
        ),
        { stdio: ['ignore', 'pipe', 'pipe'] },
      )
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (part: string) => (said += part))
      const ended = new Promise<number | null>((done) => child.once('close', done))
      /** The process that is process 1 in there, by its id out here. */
      const first = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim())
      return {
        ended,
        said: () => said,
        first,
        status: () => readFileSync(`/proc/${first()}/status`, 'utf8'),
        stop: (signal: NodeJS.Signals) => void process.kill(first(), signal),
        /** Ends it at once, if it still runs. */
        close() {
          // What it started ends with it.
          child.kill('SIGKILL')
          return ended
        },
        /** Runs a command beside the server, as `podman exec` does. */
        run(command: string[]) {
          const [user, group] = image.user.split(':')
          const target = ['-t', String(first()), '-m', '-p', '-r', '-w', '-S', user!, '-G', group!]
          const { status, stdout, stderr } = spawnSync('nsenter', [...target, '--', ...inside(env, command)], {
            encoding: 'utf8',
            maxBuffer: 16 * 2 ** 20,
          })
          return { code: status, out: stdout, err: stderr }
        },
      }
    },
    remove: () => rmSync(place, { recursive: true, force: true }),
  }
}
