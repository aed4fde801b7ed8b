import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Asks a service ten times by the JDK's HttpClient as it comes: it offers HTTP/2 with "Connection: Upgrade".
 *
 * <p>{@code java Client.java URL FOLDER}: GET and POST /nearest in turn; prints the status and the milliseconds of
 * each answer and writes body n to FOLDER/n.
 */
public class Client {
  public static void main(String[] arguments) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (int n = 0; n < 10; n++) {
      HttpRequest.Builder request;
      if (n % 2 == 0) {
        request = HttpRequest.newBuilder(URI.create(arguments[0] + "/nearest?lat=" + n + "&lon=2&count=3"));
      } else {
        request = HttpRequest.newBuilder(URI.create(arguments[0] + "/nearest"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"points\":[{\"lat\":" + n + ",\"lon\":2}],\"count\":3}"));
      }
      long begun = System.nanoTime();
      HttpResponse<byte[]> answer = client.send(
          request.timeout(Duration.ofSeconds(15)).build(), HttpResponse.BodyHandlers.ofByteArray());
      System.out.println(answer.statusCode() + " " + (System.nanoTime() - begun) / 1_000_000);
      Files.write(Path.of(arguments[1], Integer.toString(n)), answer.body());
    }
  }
}
