/** The status that a health check of a service answers with. */
export async function getStatus(url: string, check: 'live' | 'ready'): Promise<number> {
  const answer = await fetch(`${url}/health/${check}`, { headers: { connection: 'close' } });
  await answer.text();
  return answer.status;
}
