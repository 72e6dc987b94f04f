/** Returns the status of a health check. */
export async function getStatus(url: string, check: 'live' | 'ready'): Promise<number> {
  const answer = await fetch(`${url}/health/${check}`, { headers: { connection: 'close' } });
  await answer.text();
  return answer.status;
}
