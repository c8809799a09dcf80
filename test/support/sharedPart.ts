import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

/** Asks for what all test files share (`sharedParts.ts`); it is made with the first question. */
export async function sharedPart<T>(name: string, detail = ''): Promise<T> {
  const url = `http://127.0.0.1:${inject('sharedParts')}/${name}?detail=${encodeURIComponent(detail)}`;
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      text(response).then((answer) => {
        if (response.statusCode === 200) resolve(JSON.parse(answer) as T);
        else reject(new Error(answer));
      }, reject);
    }).on('error', reject);
  });
}
