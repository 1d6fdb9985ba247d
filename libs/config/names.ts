// Which names of variables are near one of ours, and which values come from Kubernetes. docs/spec/running.md#unknown-variables

/** Whether two names differ by a letter left out, added or changed, or by two neighbours swapped. */
export function isAtMostOneEdit(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [restA, restB] = [a.slice(start), b.slice(start)]
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)
}

/** Whether Kubernetes has set the variable: it sets ADMIN_PORT=tcp://10.0.0.7:80 for a service called "admin". */
export function isInjected(name: string, value: string): boolean {
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value)
}
